package codextest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Recipe is one section of docs/codex.md: how berth is put in place as the
// code-mode host of some releases of Codex.
type Recipe struct {
	From   string // the first release that it is for, such as 0.144
	Shell  string // what to do, before codex is started from the same shell
	Config string // what to have in Codex's config.toml
}

// heading opens a recipe's section.
var heading = regexp.MustCompile(`(?m)^## Codex ([0-9]+\.[0-9]+)\b.*$`)

// ParseRecipes returns the recipes of the page, in its order. It is an error if
// there is none, or if one lacks its sh block or its toml block.
func ParseRecipes(page string) ([]Recipe, error) {
	var recipes []Recipe
	heads := heading.FindAllStringSubmatchIndex(page, -1)
	for _, head := range heads {
		r := Recipe{From: page[head[2]:head[3]]}
		section, _, _ := strings.Cut(page[head[1]:], "\n## ")
		var err error
		if r.Shell, err = fenced(section, "sh"); err != nil {
			return nil, fmt.Errorf("recipe for %s: %w", r.From, err)
		}
		if r.Config, err = fenced(section, "toml"); err != nil {
			return nil, fmt.Errorf("recipe for %s: %w", r.From, err)
		}
		recipes = append(recipes, r)
	}
	if len(recipes) == 0 {
		return nil, fmt.Errorf("no section is headed %q", "## Codex …")
	}
	return recipes, nil
}

// fenced returns the one block of the given language in section.
func fenced(section, language string) (string, error) {
	blocks := strings.Split(section, "```"+language+"\n")[1:]
	if len(blocks) != 1 {
		return "", fmt.Errorf("%d blocks of %s, want one", len(blocks), language)
	}
	block, _, closed := strings.Cut(blocks[0], "```")
	if !closed {
		return "", fmt.Errorf("block of %s is not closed", language)
	}
	return block, nil
}

// RecipeFor returns the recipe for a release: the one with the latest From that
// is not after it.
func RecipeFor(recipes []Recipe, version string) (Recipe, error) {
	var best Recipe
	for _, r := range recipes {
		if !before(version, r.From) && (best.From == "" || before(best.From, r.From)) {
			best = r
		}
	}
	if best.From == "" {
		return Recipe{}, fmt.Errorf("no recipe for Codex %s", version)
	}
	return best, nil
}

// before compares the first two numbers of two versions.
func before(a, b string) bool {
	amajor, aminor := numbers(a)
	bmajor, bminor := numbers(b)
	return amajor < bmajor || amajor == bmajor && aminor < bminor
}

func numbers(version string) (major, minor int) {
	parts := strings.SplitN(version+".0", ".", 3)
	major, _ = strconv.Atoi(parts[0])
	minor, _ = strconv.Atoi(parts[1])
	return major, minor
}
