package command

import (
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
)

// placeholder is the name of a value that a command can be told, as it stands
// between the braces.
type placeholder string

const (
	url              placeholder = "url"
	method           placeholder = "method"
	attempts         placeholder = "attempts"
	retries          placeholder = "retries"
	backoff          placeholder = "backoff"
	backoffMS        placeholder = "backoff-ms"
	timeout          placeholder = "timeout"
	timeoutMS        placeholder = "timeout-ms"
	attemptTimeout   placeholder = "attempt-timeout"
	attemptTimeoutMS placeholder = "attempt-timeout-ms"
	header           placeholder = "header..."
	bodyFile         placeholder = "body-file"
	output           placeholder = "output"
	caFile           placeholder = "ca-file"
)

// vocabulary has every placeholder, and the capability that a command gains by
// using it; empty where it gains none.
var vocabulary = []struct {
	name       placeholder
	capability scenarios.Capability
}{
	{url, ""},
	{method, scenarios.CanMethod},
	{attempts, scenarios.CanAttempts},
	{retries, scenarios.CanAttempts},
	{backoff, scenarios.CanBackoff},
	{backoffMS, scenarios.CanBackoff},
	{timeout, scenarios.CanTimeout},
	{timeoutMS, scenarios.CanTimeout},
	{attemptTimeout, scenarios.CanAttemptTimeout},
	{attemptTimeoutMS, scenarios.CanAttemptTimeout},
	{header, scenarios.CanHeaders},
	{bodyFile, scenarios.CanRequestBody},
	{output, scenarios.CanResponseBody},
	{caFile, scenarios.CanTLS},
}

// rivals are the rounded and the exact form of one value. A command that used
// both would follow two different policies.
var rivals = [][2]placeholder{
	{backoff, backoffMS},
	{timeout, timeoutMS},
	{attemptTimeout, attemptTimeoutMS},
}

// String is the placeholder as it is written.
func (p placeholder) String() string { return "{" + string(p) + "}" }

// variable is the environment variable that has the same value.
func (p placeholder) variable() string {
	if p == header {
		return "FAULTSRV_HEADERS"
	}
	return "FAULTSRV_" + strings.ToUpper(strings.ReplaceAll(string(p), "-", "_"))
}

// find looks a placeholder up by what text gives for it.
func find(written string, text func(placeholder) string) (placeholder, bool) {
	for _, word := range vocabulary {
		if text(word.name) == written {
			return word.name, true
		}
	}
	return "", false
}

// nearest is the text, among those of all placeholders, that takes the fewest
// changes to become what was written.
func nearest(written string, text func(placeholder) string) string {
	best, least := "", -1
	for _, word := range vocabulary {
		known := text(word.name)
		if changes := changes(strings.ToLower(written), strings.ToLower(known)); least < 0 || changes < least {
			best, least = known, changes
		}
	}
	return best
}

// changes counts the letters to add, drop or replace to make b of a.
func changes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// uses are the placeholders that a command makes use of.
type uses map[placeholder]bool

// any tells whether one of several is used.
func (u uses) any(names ...placeholder) bool {
	return slices.ContainsFunc(names, func(name placeholder) bool { return u[name] })
}

// capabilities are what the command can do or be told. It may retry by itself,
// so retry is always among them; and its processes do not know of each other.
func (u uses) capabilities() []scenarios.Capability {
	can := []scenarios.Capability{scenarios.CanRetry, scenarios.CanParallel}
	for _, word := range vocabulary {
		if u[word.name] && word.capability != "" && !slices.Contains(can, word.capability) {
			can = append(can, word.capability)
		}
	}
	return can
}
