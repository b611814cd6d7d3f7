package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// connect gives the process its outputs and, in a dialogue, its input.
func (p *Process) connect(spec Spec) (err error) {
	if p.stderr, err = newStream(spec.Limit); err != nil {
		return err
	}
	p.command.Stderr = p.stderr.write
	if spec.Dialogue {
		p.dialogue, err = newDialogue()
	} else {
		p.stdout, err = newStream(spec.Limit)
	}
	switch {
	case err != nil:
		p.handedOver()
		p.disconnect()
		return err
	case spec.Dialogue:
		p.command.Stdin, p.command.Stdout = p.dialogue.theirInput, p.dialogue.theirOutput
		p.Input, p.Output = p.dialogue.input, p.dialogue.output
	default:
		p.command.Stdout = p.stdout.write
	}
	return nil
}

// handedOver closes our end of what belongs to the process, so that its outputs
// end with it.
func (p *Process) handedOver() {
	_ = p.stderr.write.Close()
	if p.stdout != nil {
		_ = p.stdout.write.Close()
	}
	if p.dialogue != nil {
		_ = p.dialogue.theirInput.Close()
		_ = p.dialogue.theirOutput.Close()
	}
}

// disconnect closes everything and gives what was kept.
func (p *Process) disconnect() (stdout, stderr Excerpt) {
	if p.dialogue != nil {
		_ = p.dialogue.input.Close()
		_ = p.dialogue.output.Close()
	}
	if p.stdout != nil {
		stdout = p.stdout.end()
	}
	return stdout, p.stderr.end()
}

// dialogue is a process's input and output in our hands.
type dialogue struct {
	input, output           *os.File
	theirInput, theirOutput *os.File
}

func newDialogue() (*dialogue, error) {
	var d dialogue
	var errIn, errOut error
	d.theirInput, d.input, errIn = os.Pipe()
	d.output, d.theirOutput, errOut = os.Pipe()
	if err := errors.Join(errIn, errOut); err != nil {
		for _, end := range []*os.File{d.theirInput, d.input, d.output, d.theirOutput} {
			_ = end.Close() // those that were made
		}
		return nil, fmt.Errorf("make the pipes to talk with the process: %w", err)
	}
	return &d, nil
}

// stream is an output of the process on its way to us.
type stream struct {
	read, write *os.File
	kept        capture
	// done is closed when the output is at its end.
	done chan struct{}
}

func newStream(limit int) (*stream, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the command's output: %w", err)
	}
	s := &stream{read: read, write: write, kept: capture{limit: limit}, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		// It ends at the output's end, or when end closes the pipe: neither is an error.
		_, _ = io.Copy(&s.kept, s.read)
	}()
	return s, nil
}

// end waits for the output's end and gives what was kept. A process that we
// could not reach may still hold it: then it is cut off.
func (s *stream) end() Excerpt {
	timer := time.NewTimer(killed)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
	_ = s.read.Close()
	<-s.done
	return s.kept.excerpt()
}
