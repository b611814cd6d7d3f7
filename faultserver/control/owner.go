package control

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// LongestName is how long a server's name may be: that of a host's label.
const LongestName = 63

// CheckName says what is wrong with a server's name.
func CheckName(name string) error {
	other := func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_'
	}
	if name == "" || len(name) > LongestName || strings.ContainsFunc(name, other) {
		return fmt.Errorf("name %q: expected 1 to %d letters, digits and any of - _, and no dot, such as faultsrv-0", clip(name), LongestName)
	}
	return nil
}

// owned is a session's id under a server's name: NAME.REST. The one that is
// asked for may leave the name out. It fails for another server's. Without a
// name, ids are as they are.
func owned(name, id string) (string, *problem) {
	if name == "" || strings.HasPrefix(id, name+".") {
		return id, nil
	}
	if refused := foreign(name, id); refused != nil {
		return "", refused
	}
	return name + "." + id, nil
}

// foreign says that an id is another server's; nil where it is none. What stands
// before an id's first dot is its owner.
func foreign(name, id string) *problem {
	owner, _, dotted := strings.Cut(id, ".")
	if name == "" || !dotted || owner == "" || owner == name {
		return nil
	}
	refused := otherOwner.problem("session %q: it belongs to the server %s, and this one is %s; ask that one", clip(id), clip(owner), name)
	refused.Owner = owner
	return refused
}

// StrayAnswer answers requests on the data side for sessions of other servers
// than the named one: 421, with a problem detail that says whose they are. It is
// for faultserver.ForStrays.
func StrayAnswer(name string) func(id string) (faultserver.Answer, bool) {
	return func(id string) (faultserver.Answer, bool) {
		refused := foreign(name, id)
		if refused == nil {
			return faultserver.Answer{}, false
		}
		text, err := json.Marshal(refused)
		if err != nil {
			return faultserver.Answer{}, false
		}
		return faultserver.Answer{
			Status:  refused.Status,
			Headers: faultserver.Headers{{Name: "Content-Type", Value: problemType}},
			Body:    faultserver.Body{Text: string(text) + "\n"},
		}, true
	}
}
