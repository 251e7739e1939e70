// Package lint holds the rules of the house that no other tool checks: which
// package may import which, how long a file may be, and that each package is
// explained once. Its test applies them to the whole tree.
package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Module is the path that all packages of the project begin with.
const Module = "github.com/berth-dev/berth"

// MaxLines is the most lines that a file written by hand may have, tests apart.
const MaxLines = 800

// File is what the rules want to know of one Go file.
type File struct {
	Path      string // slashes, relative to the root of the tree
	Package   string // name in the package clause
	Imports   []string
	Lines     int
	Generated bool // carries the standard "Code generated … DO NOT EDIT." line
	Doc       bool // has a package comment
}

// Test reports whether the file is only built for tests.
func (f File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Dir is the folder of the file, "." for the root.
func (f File) Dir() string { return path.Dir(f.Path) }

// Load reads every Go file of a tree whatever its build constraints, in order
// of path. Like the go command it passes over folders named testdata or vendor
// or beginning with a dot or underscore, and node_modules too.
func Load(tree fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && skipped(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || skipped(d.Name()) {
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f, err := parse(name, src)
		if err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load tree: %w", err)
	}
	return files, nil
}

func skipped(name string) bool {
	return name == "testdata" || name == "vendor" || name == "node_modules" ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func parse(name string, src []byte) (File, error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return File{}, err
	}
	f := File{
		Path:      name,
		Package:   syntax.Name.Name,
		Lines:     bytes.Count(src, []byte("\n")),
		Generated: ast.IsGenerated(syntax),
		Doc:       syntax.Doc != nil && strings.TrimSpace(syntax.Doc.Text()) != "",
	}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		f.Imports = append(f.Imports, imported)
	}
	return f, nil
}

// Lengths lists the files that are too long.
func Lengths(files []File) []string {
	var problems []string
	for _, f := range files {
		if !f.Test() && !f.Generated && f.Lines > MaxLines {
			problems = append(problems, fmt.Sprintf("%s: %d lines, limit %d: look for a seam", f.Path, f.Lines, MaxLines))
		}
	}
	return problems
}

// Comments lists the packages that do not have exactly one package comment.
// Test files neither need nor give one.
func Comments(files []File) []string {
	commented := map[string][]string{} // by folder: the files that explain the package
	for _, f := range files {
		if f.Test() {
			continue
		}
		found := commented[f.Dir()]
		if f.Doc {
			found = append(found, f.Path)
		}
		commented[f.Dir()] = found
	}
	var problems []string
	for dir, found := range commented {
		switch len(found) {
		case 0:
			problems = append(problems, fmt.Sprintf("%s: no package comment", dir))
		case 1:
		default:
			problems = append(problems, fmt.Sprintf("%s: %d package comments: %s", dir, len(found), strings.Join(found, ", ")))
		}
	}
	slices.Sort(problems)
	return problems
}
