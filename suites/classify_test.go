package suites

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

// TestAnErrorIsNotOfTheKindThatItsURLSays: net/http puts the URL that was asked into
// what it says, and a contract may ask for any.
func TestAnErrorIsNotOfTheKindThatItsURLSays(t *testing.T) {
	t.Parallel()
	const asked = "http://127.0.0.1:8503/malformed"
	for name, test := range map[string]struct {
		err  error
		want []scenarios.ErrorKind
	}{
		"a lost connection":      {&url.Error{Op: "Get", URL: asked, Err: io.EOF}, []scenarios.ErrorKind{scenarios.ErrReset}},
		"an error of no kind":    {&url.Error{Op: "Get", URL: asked, Err: errors.New("oops")}, []scenarios.ErrorKind{scenarios.ErrOther}},
		"an answer that is none": {&url.Error{Op: "Get", URL: asked, Err: errors.New("malformed HTTP status code")}, []scenarios.ErrorKind{scenarios.ErrProtocol}},
		"one without a URL":      {errors.New("malformed chunked encoding"), []scenarios.ErrorKind{scenarios.ErrProtocol}},
	} {
		got := ClassifyError(test.err)
		if kinds := append([]scenarios.ErrorKind{got.Kind}, got.Chain...); !slices.Equal(kinds, test.want) || got.Message != test.err.Error() {
			t.Errorf("%s: kinds %v, message %q; want %v", name, kinds, got.Message, test.want)
		}
	}
}
