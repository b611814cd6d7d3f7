package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
)

// notTold are the values whose absence keeps contracts from being judged, with
// the placeholders that would tell them.
var notTold = []struct {
	capability scenarios.Capability
	by         string
}{
	{scenarios.CanAttempts, "{attempts} or {retries}"},
	{scenarios.CanBackoff, "{backoff} or {backoff-ms}"},
	{scenarios.CanTimeout, "{timeout} or {timeout-ms}"},
	{scenarios.CanAttemptTimeout, "{attempt-timeout} or {attempt-timeout-ms}"},
	{scenarios.CanMethod, "{method}"},
	{scenarios.CanHeaders, "{header...}"},
	{scenarios.CanRequestBody, "{body-file}"},
	{scenarios.CanResponseBody, "{output}"},
	{scenarios.CanTLS, "{ca-file}"},
}

// TellBy is how a command is told what a capability stands for: the placeholders
// to write into it. It is empty where no placeholder tells it.
func TellBy(capability scenarios.Capability) string {
	for _, value := range notTold {
		if value.capability == capability {
			return value.by
		}
	}
	return ""
}

// Notes say, a sentence each, what the command can be judged by and what not:
// for the start of a run.
func (s *Subject) Notes() []string {
	var can []string
	for _, capability := range s.profile.Capabilities {
		can = append(can, string(capability))
	}
	notes := []string{"judged by what the command line tells it: " + strings.Join(can, ", ")}
	for _, value := range notTold {
		switch {
		case s.profile.Can(value.capability):
		case slices.Contains(s.used.capabilities(), value.capability):
			notes = append(notes, fmt.Sprintf("not %s: its profile says that it cannot", value.capability))
		default:
			notes = append(notes, fmt.Sprintf("not %s: no %s", value.capability, value.by))
		}
	}
	if !s.profile.Can(scenarios.CanErrorKind) {
		notes = append(notes, "not error-kind: an exit status alone does not tell it")
	}
	if !s.profile.Can(scenarios.CanStatus) {
		notes = append(notes, "not status: nothing says where the command tells it")
	}
	for _, pair := range rivals {
		if s.used[pair[0]] {
			notes = append(notes, fmt.Sprintf("%s is in whole seconds, rounded up, and judged so; %s is exact", pair[0], pair[1]))
		}
	}
	return notes
}
