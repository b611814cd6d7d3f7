package assertions

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// An Evaluator judges what the words of the vocabulary cannot say. It is given
// the evidence narrowed to the calls that the expectation is about: Calls and
// Journal.Attempts are theirs, the rest is the whole session's. It must be
// pure. The check's name, part and call are filled in for it; OK is nil where
// it could not observe what it needs, with the reason in Explanation.
type Evaluator func(Evidence) Check

// registry holds the evaluators by name. It only grows, a name is given once,
// and it is safe to read while another name is being registered: what a name
// means never changes during a run.
var registry = struct {
	sync.RWMutex
	byName map[string]Evaluator
}{byName: make(map[string]Evaluator)}

// Register makes an evaluator known by a name such as "breaker.single-probe".
// It is called before contracts that name it are loaded, since lint refuses a
// name that is not known. An empty name, a nil evaluator, and a name that is
// already taken are errors.
func Register(name string, evaluator Evaluator) error {
	if name == "" || evaluator == nil {
		return fmt.Errorf("register evaluator %q: want a name and a function, got %q and nil=%t", name, name, evaluator == nil)
	}
	registry.Lock()
	defer registry.Unlock()
	if _, taken := registry.byName[name]; taken {
		return fmt.Errorf("register evaluator %q: the name is taken; choose another, since a contract must mean the same in every run", name)
	}
	registry.byName[name] = evaluator
	return nil
}

// Evaluators are the registered names, sorted.
func Evaluators() []string {
	registry.RLock()
	defer registry.RUnlock()
	return slices.Sorted(maps.Keys(registry.byName))
}

func evaluatorNamed(name string) (Evaluator, bool) {
	registry.RLock()
	defer registry.RUnlock()
	evaluator, known := registry.byName[name]
	return evaluator, known
}

// evaluate asks a registered evaluator.
func evaluate(s subject, name string) Check {
	evaluator, known := evaluatorNamed(name)
	if !known {
		return unobserved(name, "as the evaluator says", fmt.Sprintf("evaluator %q is not registered", name))
	}
	narrowed := s.evidence
	narrowed.Journal.Attempts = s.attempts()
	narrowed.Calls = make([]CallRecord, len(s.calls))
	for i, call := range s.calls {
		narrowed.Calls[i] = call.CallRecord
	}
	check := evaluator(narrowed)
	check.Name = name
	return check
}
