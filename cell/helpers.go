package cell

import (
	"errors"
	"fmt"

	"github.com/berth-dev/berth/cell/js"
)

// helpers is the cell as its program sees it. It implements js.Host, in the
// cell's goroutine. Once the cell is over for its observers, nothing here has
// an effect.
type helpers cell

var errEnded = errors.New("cell has ended")

func (h *helpers) Text(text string) error { return (*cell)(h).emit(Item{Kind: Text, Value: text}) }

func (h *helpers) Image(url, detail string) error {
	return (*cell)(h).emit(Item{Kind: Image, Value: url, Detail: detail})
}

func (h *helpers) Audio(url string) error { return (*cell)(h).emit(Item{Kind: Audio, Value: url}) }

func (h *helpers) Notify(text string) error {
	c := (*cell)(h)
	return c.call(&Call{Text: text})
}

func (h *helpers) CallTool(tool int, input []byte) (uint64, error) {
	c := (*cell)(h)
	c.lastID++
	return c.lastID, c.call(&Call{Tool: &c.tools[tool], Seq: c.lastID, Input: input})
}

// call queues a call, in call order.
func (c *cell) call(call *Call) error {
	call.Session, call.Cell, call.CallID = c.session.id, c.id, c.callID
	call.owner = &c.calls
	call.bytes = callOverhead + int64(len(call.Input)+len(call.Text))
	if !c.is(running) {
		return errEnded
	}
	if err := c.account.charge(call.bytes); err != nil {
		return fmt.Errorf("queue a call: %w", err)
	}
	if !c.host.window.put(call) {
		c.account.giveBack(call.bytes)
		return errEnded
	}
	return nil
}

func (h *helpers) Store(key string, value []byte) error {
	c := (*cell)(h)
	var charged, old int64 // for the value that key had before
	size := valueSize(key, value)
	if w, ok := c.writes[key]; ok {
		charged = valueSize(key, w)
		old = charged
	} else if v, ok := c.snapshot.load(key); ok {
		old = valueSize(key, v)
	}
	if limit := c.host.opts.StoreMemory; limit > 0 && c.grown+size-old > limit-c.snapshot.size() {
		return fmt.Errorf("store a value: %w", c.account.refuse(limit))
	}
	if size > charged {
		if err := c.account.charge(size - charged); err != nil {
			return fmt.Errorf("store a value: %w", err)
		}
	} else {
		c.account.giveBack(charged - size)
	}
	if c.writes == nil {
		c.writes = map[string][]byte{}
	}
	c.writes[key] = value
	c.stored += size - charged
	c.grown += size - old
	return nil
}

func (h *helpers) Load(key string) ([]byte, bool) {
	c := (*cell)(h)
	if list := c.host.opts.KeyList; list != "" && key == list {
		return c.snapshot.keys(), true
	}
	if value, ok := c.writes[key]; ok {
		return value, true
	}
	return c.snapshot.load(key)
}

func (h *helpers) SetTimer(timer, ms uint64) error {
	c := (*cell)(h)
	if err := c.account.charge(timerBytes); err != nil {
		return fmt.Errorf("set a timer: %w", err)
	}
	c.timers.add(timer, ms)
	return nil
}

func (h *helpers) ClearTimer(timer uint64) {
	c := (*cell)(h)
	if c.timers.remove(timer) {
		c.account.giveBack(timerBytes)
	}
}

func (h *helpers) Yield() { (*cell)(h).yield(nil) }

var _ js.Host = (*helpers)(nil)
