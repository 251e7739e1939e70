package toolset

// SplitWords is for tests.
func SplitWords(line string) ([]string, error) { return splitWords(line) }
