package scenarios

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// structure finds what would make a contract mean nothing: names that no call
// has, calls that cannot be told apart or cannot be made. Parse refuses it;
// for a contract that was made in Go, [Lint] reports it.
func structure(c *Contract) Problems {
	r := report{contract: c, filled: c.Defaulted()}
	r.runAll(structureRules())
	return r.problems
}

func structureRules() []Rule {
	return []Rule{
		requestsAreBounded(),
		{"calls-given", "a contract makes at least one call", callsGiven},
		{"call-names", "a call's name is lower-case words with hyphens, is no word of the vocabulary, and is the only one, as are its tokens", callNames},
		{"call-is-a-request", "a call has a method and a path that can be sent", callIsARequest},
		{"calls-exist", "premise, expect, also and moments name calls of the contract", callsExist},
	}
}

// requestsAreBounded is the rule that comes first: what the others cost depends
// on how many requests there are.
func requestsAreBounded() Rule {
	says := fmt.Sprintf("a contract lists at most %d calls, and calls × repeats × attempts stay within %d", MaxCalls, MaxRequests)
	return Rule{"requests-bounded", says, requestsBounded}
}

func callsGiven(r *report) {
	if len(r.contract.Calls) == 0 {
		r.at("calls", "expected at least one call, such as calls: [{}]; got none")
	}
}

// callName keeps a name fit for a path, a flag and a test's name.
var callName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func callNames(r *report) {
	vocabulary := fieldNames(fieldsOf(reflect.TypeFor[Expectation]()))
	owner := map[string]string{}
	for i, call := range r.filled.Calls {
		path := itemPath("calls", i) + ".name"
		switch {
		case !callName.MatchString(call.Name):
			r.at(path, "expected a name of lower-case words with hyphens, such as first-pay; got %q", clipped(call.Name))
			continue
		case slices.Contains(vocabulary, call.Name):
			r.at(path, "%q is a word of the expectations, so they could not name the call", call.Name)
			continue
		}
		for _, token := range call.Tokens() {
			if other, taken := owner[token]; taken {
				r.at(path, "the calls %q and %q would share the token %q; name one otherwise", other, call.Name, token)
				break
			}
			owner[token] = call.Name
		}
	}
}

// callPath is a path and a query, with nothing in it that ends a request line.
var callPath = regexp.MustCompile(`^/[!-"$-~]*$`)

func callIsARequest(r *report) {
	for i, call := range r.filled.Calls {
		if !token.MatchString(call.Method) {
			r.at(itemPath("calls", i)+".method", "expected a method, such as PUT; got %q", clipped(call.Method))
		}
		if !callPath.MatchString(call.Path) {
			r.at(itemPath("calls", i)+".path", "expected a path, such as /orders/1 (a space is %%20); got %q", clipped(call.Path))
		}
	}
}

func callsExist(r *report) {
	var names []string
	for _, call := range r.filled.Calls {
		names = append(names, call.Name)
	}
	for _, place := range []struct {
		path string
		of   Expectations
	}{{"premise", r.contract.Premise}, {"expect", r.contract.Expect}, {"also", r.contract.Also}} {
		for _, call := range place.of.Calls {
			if !slices.Contains(names, call.Call) {
				words := append(fieldNames(fieldsOf(reflect.TypeFor[Expectation]())), names...)
				r.suggest(keyPath(place.path, call.Call), call.Call, words, "%q is neither a call of the contract nor an expectation", clipped(call.Call))
			}
		}
	}
	for _, m := range moments(r.contract) {
		if m.moment.Call != "" && !slices.Contains(names, m.moment.Call) {
			r.suggest(m.path+".call", m.moment.Call, names, "no call has the name %q", clipped(m.moment.Call))
		}
	}
}

func requestsBounded(r *report) {
	if n := len(r.filled.Calls); n > MaxCalls {
		r.at("calls", "expected at most %d calls; got %d; use repeat", MaxCalls, n)
	}
	attempts := *r.filled.Policy.Defaulted(nil).Attempts
	if all := r.filled.requests("") * attempts; all > MaxRequests {
		r.at("calls", "expected at most %d requests in all; the calls, their repeats and %d attempts can make %d", MaxRequests, attempts, all)
	}
}

// moment is a moment of a contract and where it stands.
type moment struct {
	path   string
	moment faultserver.Moment
}

func moments(c *Contract) []moment {
	var all []moment
	add := func(path string, m *faultserver.Moment) {
		if m != nil {
			all = append(all, moment{path, *m})
		}
	}
	for i, call := range c.Calls {
		add(itemPath("calls", i)+".after", call.After)
		add(itemPath("calls", i)+".cancel", call.Cancel)
	}
	for _, s := range steps(c) {
		add(s.path+".delay.until", s.step.Delay.Until)
	}
	for _, e := range expectations(c) {
		if e.is.Returns != nil {
			add(e.path+".returns.after", e.is.Returns.After.Moment)
		}
		if e.is.Window != nil {
			add(e.path+".window.from", &e.is.Window.From)
		}
	}
	return all
}

// located is a step of a contract and where it stands.
type located struct {
	path string
	step faultserver.Step
}

func steps(c *Contract) []located {
	var all []located
	add := func(path string, script []faultserver.Step) {
		for i, step := range script {
			all = append(all, located{itemPath(path, i), step})
		}
	}
	add("connections", c.Connections)
	add("script", c.Script)
	for i, call := range c.Calls {
		add(itemPath("calls", i)+".script", call.Script)
	}
	return all
}

// expected is what is expected of a call, and where it stands.
type expected struct {
	path string
	is   CallExpectation
}

func expectations(c *Contract) []expected {
	var all []expected
	for _, place := range []struct {
		path string
		of   Expectations
	}{{"premise", c.Premise}, {"expect", c.Expect}, {"also", c.Also}} {
		for _, e := range place.of.list() {
			all = append(all, expected{strings.TrimSuffix(keyPath(place.path, e.Call), "."), e})
		}
	}
	return all
}
