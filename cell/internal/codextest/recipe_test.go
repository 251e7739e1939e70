package codextest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/berth-dev/berth/cell/internal/codextest"
)

const page = "# Codex\n\n## Codex 0.9 to 0.10\n\n```sh\nexport A=1\n```\n\nand\n\n```toml\n[features]\n```\n" +
	"\n## Codex 0.12 and later\n```sh\nln -s\n```\n```toml\nx = 1\n```\n## Else\n```sh\nno\n```\n"

func TestParseRecipes(t *testing.T) {
	recipes, err := codextest.ParseRecipes(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []codextest.Recipe{
		{From: "0.9", Shell: "export A=1\n", Config: "[features]\n"},
		{From: "0.12", Shell: "ln -s\n", Config: "x = 1\n"},
	}
	if len(recipes) != 2 || recipes[0] != want[0] || recipes[1] != want[1] {
		t.Errorf("got %q, want %q", recipes, want)
	}
	for version, from := range map[string]string{"0.9.0": "0.9", "0.10.3": "0.9", "0.11.0": "0.9", "0.12.0": "0.12", "1.0.0": "0.12"} {
		if r, err := codextest.RecipeFor(recipes, version); err != nil || r.From != from {
			t.Errorf("for %s: got %q, %v; want %s", version, r.From, err, from)
		}
	}
	if r, err := codextest.RecipeFor(recipes, "0.8.9"); err == nil {
		t.Errorf("for 0.8.9: got %q, want an error", r)
	}
}

func TestParseRecipesRefuses(t *testing.T) {
	for name, page := range map[string]string{
		"no section":     "# Codex\n```sh\nx\n```\n",
		"no shell block": "## Codex 0.1\n```toml\nx\n```\n",
		"two of them":    "## Codex 0.1\n```sh\nx\n```\n```sh\ny\n```\n```toml\nx\n```\n",
		"not closed":     "## Codex 0.1\n```sh\nx\n```\n```toml\nx\n",
	} {
		if r, err := codextest.ParseRecipes(page); err == nil {
			t.Errorf("%s: got %q, want an error", name, r)
		}
	}
}

// The page that people read has a recipe for each release that the tests with
// real clients run.
func TestPageHasRecipes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/codex.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes, err := codextest.ParseRecipes(string(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range codextest.Versions() {
		r, err := codextest.RecipeFor(recipes, version)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Shell, "codex-code-mode-host") || !strings.Contains(r.Config, "code_mode = true") {
			t.Errorf("for %s: got %+v", version, r)
		}
		if !strings.Contains(string(page), "@openai/codex@"+version) {
			t.Errorf("the page does not name the tested version %s", version)
		}
	}
}
