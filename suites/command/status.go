package command

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// A Stream is one of the two outputs of a command.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// Words implements scenarios.Worded.
func (Stream) Words() []string { return []string{string(Stdout), string(Stderr)} }

// A StatusSource says where a command tells the status of the answer that it
// got: the first group of the last match of Pattern in a stream. Of a long output
// only the two ends are looked at (Options.OutputLimit). A match that is no
// status, such as curl's 000 where there was no answer, tells none.
type StatusSource struct {
	From    Stream
	Pattern *regexp.Regexp
}

// status is the status that an ended command tells; 0 for none.
func (s *StatusSource) status(ended process.Ending) int {
	if s == nil {
		return 0
	}
	output := ended.Stdout
	if s.From == Stderr {
		output = ended.Stderr
	}
	matches := s.Pattern.FindAllSubmatch(slices.Concat(output.Head, output.Tail), -1)
	if len(matches) == 0 {
		return 0
	}
	status, err := strconv.Atoi(string(matches[len(matches)-1][1]))
	if err != nil || status < 100 || status > 599 {
		return 0
	}
	return status
}

// checkAnswers says what is wrong with how the command tells of answers.
func (o Options) checkAnswers() []error {
	var wrong []error
	switch {
	case o.Status == nil && len(o.Answers) > 0:
		wrong = append(wrong, fmt.Errorf("exit status %d stands for an answer, and nothing says which: say where its status is told", o.Answers[0]))
	case o.Status == nil:
		return nil
	case o.Status.Pattern == nil || o.Status.Pattern.NumSubexp() < 1:
		wrong = append(wrong, errors.New("the status is told by a pattern with a group around the number, such as status=([0-9]{3})"))
	}
	for _, exit := range o.Answers {
		if kind, both := o.ExitKinds[exit]; both || exit <= 0 {
			wrong = append(wrong, fmt.Errorf("exit status %d cannot stand for an answer: expected a positive number that stands for no error; it stands for %q", exit, kind))
		}
	}
	return wrong
}
