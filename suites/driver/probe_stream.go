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

// pipePatience is how long a driver may take to open the pipe, to read on, and
// to send the request when it has the first half of the body.
const pipePatience = 5 * time.Second

// pipeStep is how often an open is tried until the driver has the pipe open,
// too.
const pipeStep = 5 * time.Millisecond

// halves is half of the streamed body: more than libraries read ahead.
const halves = 512 << 10

// probeStreamedBody hands over a body of which the second half is there only
// when the request has arrived: a driver that reads it whole before it sends
// anything does not give the client a stream.
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
	body := faultserver.Body{Size: 2 * halves, Seed: 3, Stream: true}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	results := make(chan came, 1)
	go func() {
		request := suites.Request{Method: "PUT", URL: session.CallURL(callToken, "/check")}
		got, err := c.ask(ctx, request, &wireBody{File: path, Length: body.Len(), SHA256: body.SHA256(), Stream: true})
		results <- came{result: got, err: err}
	}()
	problem := feed(ctx, path, body.Bytes(), session)
	got := <-results
	outcome, ok := p.look(got.result, got.err)
	switch {
	case problem != "":
		p.find("a request that is under way before the whole body has been read, since stream asks for a source that is read as it is sent", problem,
			"hand the library a reader or an iterator over body.file; or take streamed-body out of hello")
	case ok:
		p.mustSucceed(outcome)
		p.compareBody(body, session.Journal())
	}
	if ok {
		p.close(c)
	}
	return nil
}

// feed writes the first half of a body to the pipe, and the second when the
// request has arrived. It says what did not happen; empty where all did.
func feed(ctx context.Context, path string, body []byte, session *faultserver.Session) string {
	pipe, problem := openPipe(ctx, path)
	if pipe == nil {
		return problem
	}
	defer func() { _ = pipe.Close() }() // it has been read, or never will be
	if err := writeInTime(pipe, body[:halves]); err != nil {
		return fmt.Sprintf("half of it was not read within %v (%v)", pipePatience, err)
	}
	arriving, cancel := context.WithTimeout(ctx, pipePatience)
	defer cancel()
	if _, err := session.Await(arriving, callToken, faultserver.Moment{Attempt: 1, Event: faultserver.Arrived}); err != nil {
		problem = fmt.Sprintf("no request within %v of the first half", pipePatience)
	}
	if err := writeInTime(pipe, body[halves:]); err != nil && problem == "" {
		problem = fmt.Sprintf("the second half was not read within %v (%v)", pipePatience, err)
	}
	return problem
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

func writeInTime(pipe *os.File, part []byte) error {
	if err := pipe.SetWriteDeadline(time.Now().Add(pipePatience)); err != nil {
		return err
	}
	_, err := pipe.Write(part)
	return err
}
