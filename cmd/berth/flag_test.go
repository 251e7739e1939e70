package main

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
		show string
	}{
		{"0", 0, "0"},
		{"1", 1, "1"},
		{"1023", 1023, "1023"},
		{"1024", 1 << 10, "1KiB"},
		{"1536", 1536, "1536"},
		{"512MiB", 512 << 20, "512MiB"},
		{"1024MiB", 1 << 30, "1GiB"},
		{"8388607TiB", 8388607 << 40, "8388607TiB"},
	} {
		var s size
		if err := s.Set(tt.text); err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if int64(s) != tt.want || s.String() != tt.show {
			t.Errorf("%q: got %d, shown as %q; want %d, %q", tt.text, int64(s), s.String(), tt.want, tt.show)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5GiB", "1 GiB", "1gib", "1MB", "8388608TiB", "9223372036854775808"} {
		s := size(7)
		if err := s.Set(text); err == nil || s != 7 {
			t.Errorf("%q: got %d and error %v, want an error and no change", text, s, err)
		}
	}
}

func TestChoice(t *testing.T) {
	var colour string
	cmd := &cobra.Command{Use: "paint"}
	choiceVar(cmd, &colour, "colour", "what to paint with", "red", "green")
	if colour != "red" {
		t.Errorf("default %q, want the first word", colour)
	}
	if err := cmd.Flags().Set("colour", "green"); err != nil || colour != "green" {
		t.Errorf("set green: %q, %v", colour, err)
	}
	if err := cmd.Flags().Set("colour", "Red"); err == nil || colour != "green" {
		t.Errorf("set Red: %q, %v; want an error and no change", colour, err)
	}
}
