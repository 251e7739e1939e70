package mcpserve

// Match is for tests.
func Match(pattern, name string) bool { return match(pattern, name) }
