package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// capture takes the result of one request as the server spelt it. The SDK
// decodes results into its own types, which forget unknown members, the
// spelling of numbers and the order of keys.
type capture struct {
	mu     sync.Mutex
	id     string          // guarded by mu; of the request, once it is sent
	result json.RawMessage // guarded by mu
}

func (c *capture) take() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.result
}

type captureKey struct{}

// withCapture marks the requests made with the returned context.
func withCapture(ctx context.Context) (context.Context, *capture) {
	c := &capture{}
	return context.WithValue(ctx, captureKey{}, c), c
}

// recorder matches the responses of a connection with the captures of its
// requests.
type recorder struct {
	// progress is called for each progress notification, before what came
	// after it is read: the SDK would hand it out in a goroutine of its own,
	// perhaps when the call is over.
	progress func(*mcp.ProgressNotificationParams)

	mu   sync.Mutex
	open map[string]*capture // guarded by mu; by request id
}

func (r *recorder) sending(ctx context.Context, id string) {
	c, ok := ctx.Value(captureKey{}).(*capture)
	if !ok {
		return
	}
	c.mu.Lock()
	c.id = id
	c.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[string]*capture{}
	}
	r.open[id] = c
}

// received must be called with each message before it is passed on.
func (r *recorder) received(msg jsonrpc.Message) {
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		r.response(msg)
	case *jsonrpc.Request:
		var p mcp.ProgressNotificationParams
		if msg.Method == "notifications/progress" && json.Unmarshal(msg.Params, &p) == nil {
			r.progress(&p)
		}
	}
}

func (r *recorder) response(resp *jsonrpc.Response) {
	r.mu.Lock()
	c := r.open[idKey(resp.ID)]
	r.mu.Unlock()
	if c != nil && len(resp.Result) > 0 {
		c.mu.Lock()
		c.result = resp.Result
		c.mu.Unlock()
	}
}

// forget ends a capture that may have had no response.
func (r *recorder) forget(c *capture) {
	c.mu.Lock()
	id := c.id
	c.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
}

func idKey(id jsonrpc.ID) string { return fmt.Sprintf("%T %[1]v", id.Raw()) }
