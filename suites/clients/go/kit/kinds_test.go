package kit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"syscall"
	"testing"
)

func TestKindsOfErrors(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	read := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	exhausted := errors.New("used up")
	own := func(err error) []string {
		if errors.Is(err, exhausted) {
			return []string{"exhausted"}
		}
		return nil
	}
	for _, c := range []struct {
		err  error
		want []string
	}{
		{errors.New("anything"), []string{"other"}},
		{&url.Error{Op: "Get", Err: context.Canceled}, []string{"canceled"}},
		{&url.Error{Op: "Get", Err: context.DeadlineExceeded}, []string{"timeout"}},
		{&url.Error{Op: "Get", Err: dial}, []string{"connect"}},
		{&url.Error{Op: "Get", Err: read}, []string{"reset"}},
		{&url.Error{Op: "Get", Err: io.EOF}, []string{"reset"}},
		{io.ErrUnexpectedEOF, []string{"truncated"}},
		{errors.New(`net/http: malformed HTTP response "x"`), []string{"protocol"}},
		{fmt.Errorf("%w: %w", exhausted, read), []string{"exhausted", "reset"}},
		{errors.Join(context.Canceled, read, io.EOF), []string{"canceled", "reset"}},
	} {
		got := explain(c.err, 503, own)
		if kinds := append([]string{got.Kind}, got.Chain...); !slices.Equal(kinds, c.want) {
			t.Errorf("%v: got the kinds %q, want %q", c.err, kinds, c.want)
		}
		if got.LastStatus != 503 || got.Message != c.err.Error() {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
}
