package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// verdict is what the configuration says about a tool.
type verdict uint8

const (
	run  verdict = iota + 1 // without asking
	ask                     // the user, once per session
	hide                    // there is no such tool
)

// judge applies the lists of a server to one of its tools.
func (c *ServerConfig) judge(tool string, readOnly bool) verdict {
	switch {
	case matches(c.Deny, tool):
		return hide
	case matches(c.Ask, tool):
		return ask
	case matches(c.Allow, tool), readOnly:
		return run
	}
	return ask
}

func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if match(p, name) {
			return true
		}
	}
	return false
}

// match reports whether name is what pattern says, * standing for any text.
func match(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], after
	}
}

// errCannotAsk is returned by an asker when its client has no way to ask.
var errCannotAsk = errors.New("this client can't be asked")

// consents remembers what the user of a session said, once per tool.
type consents struct {
	mu      sync.Mutex
	answers map[string]*answer // by server and tool
}

// answer is one question, asked or about to be.
type answer struct {
	done chan struct{} // closed when the fields below are set
	err  error         // nil is yes
}

// get returns nil if the user has agreed to the tool, asking unless that was
// done before. Calls that come while the question stands wait for its answer.
func (c *consents) get(ctx context.Context, key string, question func(context.Context) error) error {
	c.mu.Lock()
	a, asked := c.answers[key]
	if !asked {
		if c.answers == nil {
			c.answers = map[string]*answer{}
		}
		a = &answer{done: make(chan struct{})}
		c.answers[key] = a
	}
	c.mu.Unlock()
	if asked {
		select {
		case <-a.done:
			return a.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	a.err = question(ctx)
	if ctx.Err() != nil { // nobody has answered
		c.mu.Lock()
		delete(c.answers, key)
		c.mu.Unlock()
		a.err = fmt.Errorf("the question was withdrawn: %w", ctx.Err())
	}
	close(a.done)
	return a.err
}
