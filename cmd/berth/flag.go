package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// choice is a flag that takes one of a few words.
type choice struct {
	value *string
	words []string
}

// choiceVar adds a flag that takes one of words, the first by default. The help
// text names it by what is quoted with backticks, as with all flags.
func choiceVar(cmd *cobra.Command, value *string, name, help string, words ...string) {
	*value = words[0]
	cmd.Flags().Var(&choice{value, words}, name, help)
	complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // the flag was defined twice
	}
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("want one of %s", strings.Join(c.words, ", "))
	}
	*c.value = word
	return nil
}

// size is a flag that takes a number of bytes, with a unit if so wished.
type size int64

// sizeUnits may follow the number of a size, each 1024 times the one before.
func sizeUnits() []string { return []string{"KiB", "MiB", "GiB", "TiB"} }

func (s *size) Type() string { return "size" }

// String is the value in the largest unit that it is a whole number of.
func (s *size) String() string {
	n, unit := int64(*s), ""
	for _, larger := range sizeUnits() {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return strconv.FormatInt(n, 10) + unit
}

func (s *size) Set(text string) error {
	number, unit := text, int64(1)
	for i, name := range sizeUnits() {
		if rest, ok := strings.CutSuffix(text, name); ok {
			number, unit = rest, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("want a number of bytes, such as 1048576, 512MiB or 2GiB")
	}
	*s = size(n * unit)
	return nil
}
