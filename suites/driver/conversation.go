package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/suites/internal/process"
)

const (
	// lastWords is how long a driver that has closed an end of its pipes may take
	// to end by itself, so that its exit status can be told. A process that exits
	// closes them microseconds before it is gone.
	lastWords = time.Second
	// endPatience is how long a driver may take to end when its input does:
	// interpreters take 50 ms to unwind; a busy machine takes longer.
	endPatience = 5 * time.Second
)

// conversation is a running driver and what is said between it and us.
type conversation struct {
	process *process.Process
	// toSay is what is still to be written to the driver, finish is closed when
	// nothing more will come.
	toSay  chan []byte
	finish chan struct{}
	// greeted is closed when hello has been heard, broken when nothing can be
	// said any more; fault then says why.
	greeted, broken chan struct{}
	hello           hello
	fault           *Fault
	ending          sync.Once
	ended           process.Ending
	working         sync.WaitGroup

	mu      sync.Mutex
	greets  int
	clients int64 // the last one's number
	seqs    int64 // the last call's
	opening map[int64]chan opened
	closing map[int64]chan closed
	calls   map[int64]chan result
	// givenUp are the calls that nobody waits for any more, with their clients;
	// unheard the clients that were told to close and not waited for.
	givenUp map[int64]int64
	unheard map[int64]bool
}

// begin starts a driver and waits for its hello.
func begin(ctx context.Context, spec process.Spec, patience time.Duration) (*conversation, error) {
	spec.Dialogue = true
	started, err := process.Start(spec)
	if err != nil {
		return nil, err
	}
	c := &conversation{
		process: started,
		// Room for what several hundred calls say at once; beyond it they wait.
		toSay: make(chan []byte, 1024), finish: make(chan struct{}),
		greeted: make(chan struct{}), broken: make(chan struct{}),
		opening: map[int64]chan opened{}, closing: map[int64]chan closed{}, calls: map[int64]chan result{},
		givenUp: map[int64]int64{}, unheard: map[int64]bool{},
	}
	c.working.Go(c.listen)
	c.working.Go(c.speak)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.greeted:
		return c, nil
	case <-c.broken:
	case <-ctx.Done():
		c.endWithin(0) // it has been told nothing that it could finish
		err = ctx.Err()
	case <-timer.C:
		c.fail(&Fault{
			Expected: fmt.Sprintf("hello within %v of the start", patience),
			Got:      "no line on standard output",
			Do:       "write hello as the first line, before anything is read, and flush standard output after each line",
		}, 0)
	}
	c.working.Wait()
	if err != nil {
		return nil, err
	}
	return nil, c.fault
}

// end lets the driver end: its input ends, and it has a while to follow.
func (c *conversation) end() process.Ending { return c.endWithin(endPatience) }

func (c *conversation) endWithin(patience time.Duration) process.Ending {
	c.conclude(&Fault{Expected: "no further call", Got: "a call after the driver was closed", Do: "close it last"}, func() {
		close(c.finish)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		c.ended = c.process.Await(ctx)
	})
	c.working.Wait()
	return c.ended
}

// fail ends a driver that can no longer be talked with, unless it ends by
// itself in time.
func (c *conversation) fail(fault *Fault, patience time.Duration) {
	c.conclude(fault, func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		c.ended = c.process.Await(ctx)
		fault.Ended = lastWordsOf(c.ended)
	})
}

// conclude does what ends the driver, once, and lets everybody know.
func (c *conversation) conclude(fault *Fault, ending func()) {
	c.ending.Do(func() {
		ending()
		c.fault = fault
		close(c.broken)
	})
}

func lastWordsOf(ended process.Ending) string {
	text := "the driver ended with " + ended.How
	if ended.ByUs != nil {
		text = "the driver was ended"
	}
	if line := ended.Stderr.TellingLine(); line != "" {
		text += ", and said on standard error: " + line
	}
	if left := ended.Left.String(); left != "" {
		text += "; " + left
	}
	return text
}

// over tells that nothing can be said any more.
func (c *conversation) over() bool {
	select {
	case <-c.broken:
		return true
	default:
		return false
	}
}

// say sends a message. One that comes too late is dropped: whoever waits for
// its answer hears that the conversation is broken.
func (c *conversation) say(message any) error {
	line, err := encode(message)
	if err != nil {
		return err
	}
	select {
	case c.toSay <- line:
	case <-c.broken:
	}
	return nil
}

// speak writes what is to be said, and in the end closes the driver's input.
func (c *conversation) speak() {
	defer c.process.Input.Close()
	for {
		select {
		case line := <-c.toSay:
			if _, err := c.process.Input.Write(line); err != nil {
				c.fail(&Fault{
					Expected: "a driver that reads its standard input until it ends",
					Got:      fmt.Sprintf("an error when writing to it: %v", err),
					Do:       "read messages until the end of the input",
				}, lastWords)
				return
			}
		case <-c.finish:
			if len(c.toSay) == 0 {
				return
			}
		case <-c.broken:
			return
		}
	}
}

// listen hears the driver until it has said its last.
func (c *conversation) listen() {
	lines := newLines(c.process.Output)
	for {
		line, err := lines.next()
		if err != nil {
			c.fail(c.unheardOf(line, err), lastWords)
			return
		}
		if fault := c.hear(line); fault != nil {
			c.fail(fault, 0)
			return
		}
	}
}

// unheardOf is the fault of a driver whose output has ended or cannot be read.
func (c *conversation) unheardOf(line []byte, err error) *Fault {
	if errors.Is(err, errLineTooLong) {
		return &Fault{
			Expected: fmt.Sprintf("lines of at most %d bytes", MaxLine),
			Got:      "a longer one, which begins " + quoted(string(line)),
			Do:       "end each message with a newline; a body is told by its hash and length",
		}
	}
	fault := &Fault{
		Expected: "a driver that runs until its standard input ends",
		Got:      "the end of its standard output",
		Do:       "see what it says on standard error; an error of a call is a result, not an end",
	}
	if !errors.Is(err, io.EOF) {
		fault.Got = fmt.Sprintf("an error when reading its standard output: %v", err)
	}
	if len(line) > 0 {
		fault.Got += ", in the middle of the line " + quoted(string(line))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.greets == 0:
		fault.Got += ", before hello"
	case len(c.calls) > 0:
		fault.Got += ", with " + plural(len(c.calls), "call") + " open (" + seqList(c.calls) + ")"
	}
	return fault
}

// seqList names calls for a reader.
func seqList(calls map[int64]chan result) string {
	const most = 5
	text := "seq"
	for i, seq := range slices.Sorted(maps.Keys(calls)) {
		if i == most {
			return text + " …"
		}
		text += fmt.Sprintf(" %d", seq)
	}
	return text
}
