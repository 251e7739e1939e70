package mcpserve

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client on in and out, as newline-delimited JSON, until
// it closes in or ctx ends. Neither is an error.
func ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser, opts Options) error {
	h := newHouse(opts)
	defer h.close()
	err := h.newSession().server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxRequest})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

const (
	maxRequest  = 16 << 20         // bytes of one message from a client
	maxSessions = 64               // clients at once
	idleSession = 30 * time.Minute // without a request, until the session ends
	// Path is where ServeHTTP listens.
	Path = "/mcp"
)

// HTTPOptions tune ServeHTTP.
type HTTPOptions struct {
	Token string // bearer token that every request must carry; required

	// Hosts are further values of the Host header, and hosts of the Origin
	// header, that are served besides the loopback names and addresses.
	Hosts []string
	// Anywhere lets the listener be on another address than a loopback one.
	Anywhere bool
}

// NewToken returns a random bearer token.
func NewToken() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ServeHTTP serves clients over streamable HTTP at [Path] until ctx ends, and
// closes l. It refuses to start on an address that others can reach, unless
// told otherwise.
func ServeHTTP(ctx context.Context, l net.Listener, h HTTPOptions, opts Options) error {
	if err := h.check(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	house := newHouse(opts)
	defer house.close()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		if house.full() {
			return nil // the SDK answers 400
		}
		s := house.newSession()
		s.abandon(time.Minute)
		return s.server
	}, &mcp.StreamableHTTPOptions{SessionTimeout: idleSession, MaxRequestBodyBytes: maxRequest, Logger: house.opts.Logger})
	mux := http.NewServeMux()
	mux.Handle(Path, h.guard(handler))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) }}

	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		house.closeSessions() // ends the streams that Shutdown would wait for
		grace, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(l)
	if !stop() {
		<-stopped
		return nil
	}
	return fmt.Errorf("serve MCP: %w", err)
}

func (h HTTPOptions) check(addr net.Addr) error {
	if h.Token == "" {
		return errors.New("serve MCP: a token is required")
	}
	tcp, ok := addr.(*net.TCPAddr)
	if !h.Anywhere && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("serve MCP: %s is not a loopback address", addr)
	}
	return nil
}

// guard lets through what carries the token and comes from where it may: pages
// of other origins, and names that were made to point here, do not.
func (h HTTPOptions) guard(next http.Handler) http.Handler {
	want := []byte(h.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !h.knows(r.Host):
			http.Error(w, fmt.Sprintf("forbidden host %q: if it is to be served, start berth mcp with --http-host and its name", r.Host), http.StatusForbidden)
		case !h.originAllowed(r.Header["Origin"]):
			http.Error(w, fmt.Sprintf("forbidden origin %q: if it is to be served, start berth mcp with --http-host and its host name", r.Header["Origin"]), http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(bearer(r.Header.Get("Authorization"))), want) != 1:
			w.Header().Set("WWW-Authenticate", `Bearer realm="berth"`)
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// bearer returns the token of an Authorization header; the scheme's name may be
// in any case (RFC 9110 §11.1).
func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(token, " ")
}

// knows reports whether a host, with or without a port, is one of ours.
func (h HTTPOptions) knows(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost") {
		return true
	}
	return slices.ContainsFunc(h.Hosts, func(known string) bool {
		return strings.EqualFold(known, host) || strings.EqualFold(known, hostport)
	})
}

func (h HTTPOptions) originAllowed(origins []string) bool {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !h.knows(u.Host) {
			return false
		}
	}
	return true
}

func (h *house) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions) >= maxSessions
}
