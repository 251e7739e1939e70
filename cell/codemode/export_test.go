package codemode

// ClientSizes returns the number of pending requests, sessions, and the cells
// and waits of one session.
func ClientSizes(c *Client, s *Session) [4]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return [4]int{len(c.pending), len(c.sessions), len(s.cells), len(s.waits)}
}
