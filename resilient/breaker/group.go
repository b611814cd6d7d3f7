package breaker

import (
	"maps"
	"net/http"
	"sync"
)

// Selector says which breaker stands before a request.
type Selector interface {
	For(*http.Request) *Breaker
}

// For makes a Breaker the selector of itself.
func (b *Breaker) For(*http.Request) *Breaker { return b }

// Group has one breaker for each key, such as a host. It is safe for
// concurrent use.
type Group struct {
	key func(*http.Request) string
	cfg config

	mu       sync.RWMutex
	breakers map[string]*Breaker
}

// maxKeys bounds a group whose keys come from outside. At about 500 bytes a
// breaker that is 5 MB.
const maxKeys = 10_000

// NewGroup returns a group. Its breakers have these options, and the key for
// a name. A nil key function stands for [ByHost].
//
// When the group has 10,000 breakers, it forgets those that would let the next call
// pass: the closed ones, and the open ones whose sleep window is over.
func NewGroup(key func(*http.Request) string, opts ...Option) (*Group, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if key == nil {
		key = ByHost
	}
	return &Group{key: key, cfg: cfg, breakers: make(map[string]*Breaker)}, nil
}

// ByHost is the host that a request goes to, with its port.
func ByHost(req *http.Request) string {
	if req.URL == nil {
		return ""
	}
	return req.URL.Host
}

// For returns the breaker of the request's key.
func (g *Group) For(req *http.Request) *Breaker {
	key := g.key(req)
	g.mu.RLock()
	b := g.breakers[key]
	g.mu.RUnlock()
	if b != nil {
		return b
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if b = g.breakers[key]; b != nil {
		return b
	}
	if len(g.breakers) >= maxKeys {
		maps.DeleteFunc(g.breakers, func(_ string, b *Breaker) bool { return b.admits() })
	}
	cfg := g.cfg
	cfg.name = key
	b = newBreaker(cfg)
	g.breakers[key] = b
	return b
}
