package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// broken is the outcome of a command that could not be run.
func broken(err error) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: err.Error()}
}

// outcome is what the end of the process says of the call. Whether exit status 0
// is believed depends on what the server sent, and is judged there.
func (s *Subject) outcome(ctx context.Context, ended process.Ending) scenarios.Outcome {
	outcome := scenarios.Outcome{Elapsed: ended.Elapsed, Starved: ended.Starved, Note: ended.Left.String()}
	switch {
	case ended.ByUs != nil && ctx.Err() == nil:
		why := fmt.Sprintf("it had not returned after %s, and was ended", s.options.CallTimeout)
		outcome = cutShort(scenarios.ErrTimeout, why, outcome)
		outcome.Note = joinNotes(s.profile.Name+": "+why, outcome.Note)
	// Whoever gave the context knows, and says, why it ended.
	case errors.Is(ended.ByUs, context.DeadlineExceeded):
		outcome = cutShort(scenarios.ErrTimeout, "it had not returned when the call's time was over, and was ended", outcome)
	case ended.ByUs != nil:
		outcome = cutShort(scenarios.ErrCanceled, "it was ended, since the call was called off", outcome)
	case ended.Status == 0 || slices.Contains(s.options.Answers, ended.Status):
		outcome = s.answered(ended, outcome)
	default:
		kind, ok := s.options.ExitKinds[ended.Status]
		if !ok {
			kind = scenarios.ErrOther
		}
		message := ended.How
		if line := ended.Stderr.LastLine(); line != "" {
			message += ": " + line
		}
		outcome.Kind = scenarios.ErrorOutcome
		outcome.Error = &scenarios.OutcomeError{Kind: kind, Message: message, LastStatus: s.options.Status.status(ended)}
	}
	return outcome
}

// answered is the outcome of a command that says that it got an answer: with
// its status, where the command tells it.
func (s *Subject) answered(ended process.Ending, outcome scenarios.Outcome) scenarios.Outcome {
	outcome.Status = s.options.Status.status(ended)
	switch {
	case outcome.Status != 0:
		outcome.Kind = scenarios.ResponseOutcome
	case ended.Status == 0:
		outcome.Kind = scenarios.SuccessOutcome
	default:
		outcome.Kind = scenarios.UnknownOutcome
		outcome.Note = joinNotes(outcome.Note, ended.How+" stands for an answer, and the command did not tell its status")
	}
	return outcome
}

// cutShort makes an error of what we did to the process.
func cutShort(kind scenarios.ErrorKind, why string, outcome scenarios.Outcome) scenarios.Outcome {
	outcome.Kind = scenarios.ErrorOutcome
	outcome.Error = &scenarios.OutcomeError{Kind: kind, Message: why}
	return outcome
}

// joinNotes makes one note of those that say something.
func joinNotes(notes ...string) string {
	var said []string
	for _, note := range notes {
		if note != "" {
			said = append(said, note)
		}
	}
	return strings.Join(said, "; ")
}
