package main

import (
	"path/filepath"
	"slices"
)

// dropIn is a program that berth stands in for when it is started under that
// program's name, through a link or a copy.
type dropIn struct {
	name string   // of the program, without directory
	verb []string // what it is in berth's own words
}

// dropIns lists the names that berth answers to beside its own.
func dropIns() []dropIn {
	return []dropIn{
		{name: "codex-code-mode-host", verb: []string{"cell", "host"}},
	}
}

// dispatch returns the arguments after the program's name, led by the verb
// that the name stands for. A copy of berth that bears such a name also starts
// itself with the verb in place.
func dispatch(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	name := filepath.Base(args[0])
	for _, d := range dropIns() {
		if d.name == name && !startsWith(args[1:], d.verb) {
			return append(d.verb[:len(d.verb):len(d.verb)], args[1:]...)
		}
	}
	return args[1:]
}

func startsWith(args, verb []string) bool {
	return len(args) >= len(verb) && slices.Equal(args[:len(verb)], verb)
}
