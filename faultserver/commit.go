package faultserver

import (
	"fmt"
	"net/http"
	"slices"
)

// unprocessed are the statuses that say that the request has not been processed
// (RFC 9110, section 15.5.18 and .20; RFC 8470, section 5.2; RFC 6585, section 4).
var unprocessed = []int{http.StatusExpectationFailed, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests}

// commitProblems are why the step's side effect cannot be performed.
func (s Step) commitProblems(kind scriptKind) []error {
	if s.Commit == NoCommit || kind == connectionScript {
		return nil
	}
	var problems []error
	if respond, is := s.Act.(Respond); is && slices.Contains(unprocessed, respond.Status) {
		problems = append(problems, fmt.Errorf("commit: status %d says that the request was not processed; leave commit out", respond.Status))
	}
	_, passes := s.Act.(Untouched)
	if at := s.point(kind); (at.Phase == RequestHead || at.Phase == RequestBody) && !s.Act.place().readsOn && !passes {
		problems = append(problems, fmt.Errorf("commit: at %s the request has not come yet, and cannot have been processed; strike at request-end or later", at))
	}
	return problems
}
