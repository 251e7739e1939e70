package cell

// ReadMemory is machineMemory over other files.
var ReadMemory = readMemory

// SkipIDs makes a session count its cells from last on.
func SkipIDs(s *Session, last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID = last
}
