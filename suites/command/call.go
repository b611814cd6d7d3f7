package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// client is the command line with a policy.
type client struct {
	subject *Subject
	policy  scenarios.Policy
	values  map[placeholder]string
}

// Do implements suites.Client: it runs the command once and returns when it
// has ended and nothing that it started is left.
func (c *client) Do(ctx context.Context, request suites.Request) scenarios.Outcome {
	if why := c.cannot(request); why != "" {
		return scenarios.Outcome{Kind: scenarios.UnsupportedOutcome, Note: why}
	}
	files, err := c.makeFiles(request)
	if err != nil {
		return broken(err)
	}
	outcome := c.do(ctx, request, files)
	if err := files.remove(); err != nil {
		outcome.Note = joinNotes(outcome.Note, err.Error())
	}
	return outcome
}

func (c *client) do(ctx context.Context, request suites.Request, files files) scenarios.Outcome {
	s := c.subject
	values := c.callValues(request, files)
	call, cancel := context.WithTimeout(ctx, s.options.CallTimeout)
	defer cancel()
	started := process.Spec{
		Program: s.program,
		Dir:     s.options.Dir,
		Args:    expand(s.arguments, values, request.Headers),
		Env:     append(s.options.Env[:len(s.options.Env):len(s.options.Env)], c.environment(values, request.Headers)...),
		Limit:   s.options.OutputLimit,
	}
	ended, err := process.Run(call, started)
	if err != nil {
		return broken(err)
	}
	outcome := s.outcome(ctx, ended)
	if err := files.readOutput(&outcome); err != nil {
		outcome.Note = joinNotes(outcome.Note, err.Error())
	}
	if s.options.AfterRun != nil {
		s.options.AfterRun(Run{
			Args: append([]string{s.args[0]}, started.Args...), URL: request.URL,
			Outcome: outcome, Stdout: ended.Stdout, Stderr: ended.Stderr,
		})
	}
	return outcome
}

// Close implements suites.Client. A client holds nothing between its calls.
func (c *client) Close() error { return nil }

// cannot says why the command cannot make the call as it is asked for; empty
// when it can. The profile lacks the same capabilities; this is for callers who
// did not ask it.
func (c *client) cannot(request suites.Request) string {
	used := c.subject.used
	lacks := func(what string, by ...placeholder) string {
		names := make([]string, len(by))
		for i, name := range by {
			names[i] = name.String()
		}
		return fmt.Sprintf("the command is not told %s: that would need %s", what, strings.Join(names, " or "))
	}
	switch {
	case c.deadline(request) > 0 && !used.any(timeout, timeoutMS):
		return lacks(fmt.Sprintf("the call's deadline of %s", c.deadline(request)), timeout, timeoutMS)
	case c.policy.Timeouts != nil && c.policy.Timeouts.Attempt > 0 && !used.any(attemptTimeout, attemptTimeoutMS):
		return lacks(fmt.Sprintf("an attempt's deadline of %s", c.policy.Timeouts.Attempt), attemptTimeout, attemptTimeoutMS)
	case request.Method != "" && request.Method != "GET" && !used[method]:
		return lacks("the method "+request.Method, method)
	case len(request.Headers) > 0 && !used[header]:
		return lacks("the headers", header)
	case request.Body != nil && !used[bodyFile]:
		return lacks("the body", bodyFile)
	case secure(request) && !used[caFile]:
		return lacks("whom to trust", caFile)
	}
	return ""
}

// deadline is the call's own, or the policy's if that is shorter; 0 for none.
func (c *client) deadline(request suites.Request) time.Duration {
	deadline := total(c.policy)
	if request.Timeout > 0 && (deadline == 0 || request.Timeout < deadline) {
		deadline = request.Timeout
	}
	return deadline
}

func (c *client) callValues(request suites.Request, files files) map[placeholder]string {
	values := maps.Clone(c.values)
	bound := c.subject.ToldTimeout(c.deadline(request))
	values[timeout] = grain(time.Second).count(bound)
	values[timeoutMS] = grain(time.Millisecond).count(bound)
	values[url] = request.URL
	values[method] = request.Method
	if request.Method == "" {
		values[method] = "GET"
	}
	for name, path := range map[placeholder]string{bodyFile: files.body, output: files.output, caFile: files.authority} {
		if path != "" {
			values[name] = path
		}
	}
	return values
}

// environment has the values as variables.
func (c *client) environment(values map[placeholder]string, headers faultserver.Headers) []string {
	var env []string
	for _, word := range vocabulary {
		if value, ok := values[word.name]; ok {
			env = append(env, word.name.variable()+"="+value)
		}
	}
	var lines []string
	for _, line := range headers {
		lines = append(lines, line.Name+": "+line.Value)
	}
	return append(env, header.variable()+"="+strings.Join(lines, "\n"))
}

// secure tells whether a call is made over TLS.
func secure(request suites.Request) bool { return strings.HasPrefix(request.URL, "https:") }

// files are the temporary files of a call; the zero value is none. Those that it
// does not need have no name.
type files struct {
	dir, body, output, authority string
}

// makeFiles makes what the command uses of files.
func (c *client) makeFiles(request suites.Request) (files, error) {
	trusts, exchanges := secure(request) && c.subject.used[caFile], c.subject.used.any(bodyFile, output)
	if !trusts && !exchanges {
		return files{}, nil
	}
	dir, err := os.MkdirTemp("", "faultsrv-call-")
	if err != nil {
		return files{}, fmt.Errorf("make a folder for the call's files: %w", err)
	}
	made := files{dir: dir}
	if exchanges {
		made.body, made.output = filepath.Join(dir, "body"), filepath.Join(dir, "output")
		if err := made.writeBody(request.Body); err != nil {
			return files{}, errors.Join(fmt.Errorf("write the request's body for the command: %w", err), made.remove())
		}
	}
	if trusts {
		made.authority = filepath.Join(dir, "ca.pem")
		if err := writeAuthority(made.authority); err != nil {
			return files{}, errors.Join(fmt.Errorf("write the authority that the command is to trust: %w", err), made.remove())
		}
	}
	return made, nil
}

func (f files) writeBody(body *faultserver.Body) error {
	file, err := os.OpenFile(f.body, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if body != nil {
		_, err = io.Copy(file, body.Reader())
	}
	return errors.Join(err, file.Close())
}

// writeAuthority writes the certificate of the authority that certifies the
// servers of this process.
func writeAuthority(path string) error {
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		return err
	}
	return os.WriteFile(path, authority.PEM(), 0o600)
}

// readOutput notes the hash of what the command wrote as the answer's body. A
// command that wrote none tells nothing of it; what is no file is not opened,
// since a pipe would hold us up.
func (f files) readOutput(outcome *scenarios.Outcome) error {
	if f.output == "" {
		return nil
	}
	info, err := os.Lstat(f.output)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the command made its output a %s; expected a file", info.Mode().Type())
	}
	file, err := os.Open(f.output)
	if err != nil {
		return fmt.Errorf("read the command's output file: %w", err)
	}
	hash := sha256.New()
	length, err := io.Copy(hash, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("read the command's output file: %w", err)
	}
	outcome.BodySHA256 = hex.EncodeToString(hash.Sum(nil))
	outcome.BodyLength = length
	return nil
}

func (f files) remove() error {
	if f.dir == "" {
		return nil
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return fmt.Errorf("remove the call's files: %w", err)
	}
	return nil
}
