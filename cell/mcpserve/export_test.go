package mcpserve

import "github.com/berth-dev/berth/cell/toolset"

// Match is for tests.
func Match(pattern, name string) bool { return match(pattern, name) }

// Describe is for tests.
func Describe(tools []toolset.Tool, problems []string) (string, bool) {
	return describe(tools, problems)
}

// Find is for tests.
func Find(tools []toolset.Tool, query string) []int { return newIndex(tools).find(query) }
