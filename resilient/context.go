package resilient

import (
	"context"
	"fmt"
	"slices"
)

// idempotencyKey is the header by which a caller says that the server
// recognizes a repeated request. A value must be there: an empty key
// identifies nothing.
const idempotencyKey = "Idempotency-Key"

type idempotentKey struct{}

// WithIdempotent marks the calls made with the context as safe to send twice,
// whatever their method.
func WithIdempotent(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotentKey{}, true)
}

func idempotent(ctx context.Context) bool {
	marked, _ := ctx.Value(idempotentKey{}).(bool)
	return marked
}

type overrideKey struct{}

// WithPolicy returns a context whose calls use these options on top of the
// Transport's own; calls with other contexts are not affected. Options of an
// outer WithPolicy are applied before those of an inner one. A bad value is
// an error here.
func WithPolicy(ctx context.Context, opts ...Option) (context.Context, error) {
	if err := newPolicy().apply(opts); err != nil {
		return ctx, fmt.Errorf("resilient.WithPolicy: %w", err)
	}
	outer, _ := ctx.Value(overrideKey{}).([]Option)
	return context.WithValue(ctx, overrideKey{}, slices.Concat(outer, opts)), nil
}

// inContext is the policy of one call: the policy itself, or a copy with the
// context's overrides, whose values WithPolicy has checked.
func (p *policy) inContext(ctx context.Context) *policy {
	opts, ok := ctx.Value(overrideKey{}).([]Option)
	if !ok {
		return p
	}
	merged := *p
	for _, opt := range opts {
		_ = opt.applyToPolicy(&merged)
	}
	return &merged
}
