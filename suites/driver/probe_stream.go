package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites"
)

// pipePatience is how long a driver may take to open the pipe, and to read it to
// its end.
const pipePatience = 5 * time.Second

// pipeStep is how often an open is tried until the driver has the pipe open,
// too.
const pipeStep = 5 * time.Millisecond

// streamed is how long the streamed body is: many times what a pipe holds.
const streamed = 1 << 20

// probeStreamedBody hands over a body in a pipe, which gives its bytes once, from
// the first to the last: a driver that goes back to its beginning, or opens it a
// second time, finds nothing there. When the request begins is not looked at: some
// libraries read a stream whole before, so that they can send it again.
func probeStreamedBody(p *prober) error {
	session, err := p.server(nil)
	if err != nil {
		return err
	}
	defer p.closeServer(session)
	path, err := p.subject.files.next()
	if err == nil {
		err = makePipe(path)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		p.notMade = "this platform has no pipe in the place of a file"
		return nil
	}
	if err != nil {
		return fmt.Errorf("make a pipe for a body: %w", err)
	}
	c, ok := p.open(plainPolicy(1, "PUT"))
	if !ok {
		return nil
	}
	body := faultserver.Body{Size: streamed, Seed: 3, Stream: true}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	results := make(chan came, 1)
	go func() {
		request := suites.Request{Method: "PUT", URL: session.CallURL(callToken, "/check")}
		got, err := c.ask(ctx, request, &wireBody{File: path, Length: body.Len(), SHA256: body.SHA256(), Stream: true})
		results <- came{result: got, err: err}
	}()
	problem := feed(ctx, path, body.Bytes())
	got := <-results
	outcome, ok := p.look(got.result, got.err)
	journal := session.Journal()
	switch {
	case problem != "":
		p.find("a body.file that is read once, from its first byte to its last: with stream it may be a pipe, which has no length and no way back", problem,
			"hand the library a reader or an iterator over body.file; or take streamed-body out of hello")
	case ok && len(journal.Attempts) == 0:
		p.find("a request", "none ("+outcomeText(outcome)+")", "send the call to its url, past every proxy")
	case ok:
		p.mustSucceed(outcome)
		p.compareBody(body, journal)
	}
	if ok {
		p.close(c)
	}
	return nil
}

// feed writes a body to the pipe, and ends it. It says what was not read; empty
// where all was.
func feed(ctx context.Context, path string, body []byte) string {
	pipe, problem := openPipe(ctx, path)
	if pipe == nil {
		return problem
	}
	defer func() { _ = pipe.Close() }() // it has been read, or never will be
	if err := pipe.SetWriteDeadline(time.Now().Add(pipePatience)); err != nil {
		return fmt.Sprintf("no deadline can be set for it (%v)", err)
	}
	if written, err := pipe.Write(body); err != nil {
		return fmt.Sprintf("it was not read to its end within %v: no more than %d of its %d bytes could be written (%v)", pipePatience, written, len(body), err)
	}
	return ""
}

// openPipe opens the pipe for writing once the driver has opened it for reading.
func openPipe(ctx context.Context, path string) (*os.File, string) {
	ctx, cancel := context.WithTimeout(ctx, pipePatience)
	defer cancel()
	ticker := time.NewTicker(pipeStep)
	defer ticker.Stop()
	for {
		pipe, err := openPipeIfRead(path)
		if err == nil {
			return pipe, ""
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, fmt.Sprintf("body.file was not opened within %v (%v)", pipePatience, err)
		}
	}
}
