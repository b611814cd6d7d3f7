package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// check says what is wrong with a hello, all at once; nil for nothing.
func (h hello) check() *Fault {
	var wrong []string
	say := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	if h.Protocol != ProtocolVersion {
		say("protocol %d, where %d is spoken here", h.Protocol, ProtocolVersion)
	}
	if h.Client.Name == "" {
		say("no client.name, by which reports call it")
	}
	for _, field := range []struct{ name, text string }{
		{"name", h.Client.Name}, {"version", h.Client.Version}, {"language", h.Client.Language},
	} {
		if !scenarios.OneLine(field.text) {
			say("client.%s %q, where a line without control characters can be shown", field.name, field.text)
		}
	}
	if h.MaxParallel < 0 {
		say("max_parallel %d, where 1 or more is how many calls it makes at the same time, and 0 (or no such field) no limit", h.MaxParallel)
	}
	all := scenarios.AllCapabilities()
	for _, word := range h.Capabilities {
		if !slices.Contains(all, scenarios.Capability(word)) {
			say("the capability %q, which is not a word of the list%s", word, didYouMean(word, all))
		}
	}
	if h.MaxParallel == 1 && slices.Contains(h.Capabilities, string(scenarios.CanParallel)) {
		say("the capability %q with max_parallel 1: one call at a time is not parallel", scenarios.CanParallel)
	}
	if h.Promises != nil {
		if _, err := h.Promises.policy(); err != nil {
			say("promises that are no policy: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &Fault{
		Expected: fmt.Sprintf("a hello with protocol %d, client.name, and capabilities of the list: %s", ProtocolVersion, words(all)),
		Got:      strings.Join(wrong, "; "),
		Do:       "mend hello",
	}
}

// profile is what a checked hello says of the client.
func (h hello) profile() suites.Profile {
	profile := suites.Profile{
		Name: h.Client.Name, Version: h.Client.Version, Language: h.Client.Language, Kind: "driver",
		MaxCalls: h.MaxParallel,
	}
	for _, word := range h.Capabilities {
		if capability := scenarios.Capability(word); !profile.Can(capability) {
			profile.Capabilities = append(profile.Capabilities, capability)
		}
	}
	if h.Promises != nil {
		promises, _ := h.Promises.policy() // check has looked
		profile.Promises = &promises
	}
	return profile
}

// sameClient tells that another process of the driver says the same of itself.
func (h hello) sameClient(other hello) bool {
	return h.Client == other.Client && h.MaxParallel == other.MaxParallel && slices.Equal(h.Capabilities, other.Capabilities)
}

func didYouMean[W ~string](word string, all []W) string {
	known := make([]string, len(all))
	for i, w := range all {
		known[i] = string(w)
	}
	if meant := scenarios.Nearest(word, known); meant != "" {
		return fmt.Sprintf(" (did you mean %q?)", meant)
	}
	return ""
}

// words is a list of words for a reader.
func words[W ~string](list []W) string {
	texts := make([]string, len(list))
	for i, word := range list {
		texts[i] = string(word)
	}
	return orNone(texts)
}
