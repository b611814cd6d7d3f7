package service

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/faultsrv/faultsrv/suites/internal/process"
)

const (
	// keptOutput is how many bytes of each end of the service's outputs are kept.
	keptOutput = 32 << 10
	// shownLines is how many lines of its output a message shows.
	shownLines = 10
)

// An app is the service's process, where we started it. A nil app is one that
// somebody else did.
type app struct {
	name  string
	stop  context.CancelFunc
	ended chan struct{} // closed when nothing is left of it
	// ending is how it ended, once ended is closed.
	ending process.Ending
}

// startApp starts the service's command, in a folder (empty means ours); with no
// command it gives nil.
func startApp(command []string, dir string) (*app, error) {
	if len(command) == 0 {
		return nil, nil //nolint:nilnil // somebody else starts it
	}
	program, err := findProgram(command[0], dir)
	if err != nil {
		return nil, fmt.Errorf("cannot start the service: %w", err)
	}
	started, err := process.Start(process.Spec{Program: program, Args: command[1:], Dir: dir, Limit: keptOutput})
	if err != nil {
		return nil, fmt.Errorf("cannot start the service: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	a := &app{name: command[0], stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(a.ended)
		a.ending = started.Await(ctx)
	}()
	return a, nil
}

// findProgram is the path of a program: one that is on the PATH, or of an
// executable file, which a relative path looks for from a folder.
func findProgram(name, dir string) (string, error) {
	path := name
	if strings.ContainsRune(filepath.ToSlash(name), '/') && !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
		if !strings.ContainsRune(filepath.ToSlash(path), '/') {
			path = "." + string(filepath.Separator) + path // and not one on the PATH
		}
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("%w; name a program on the PATH, or the path of an executable file", err)
	}
	return filepath.Abs(found)
}

// over is closed when the service has ended; nil, which never is, where it is
// not ours.
func (a *app) over() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.ended
}

// death says that the service has ended, and what it said last; empty while it
// runs.
func (a *app) death() string {
	select {
	case <-a.over():
		return fmt.Sprintf("the service %q has ended (%s)%s", a.name, a.ending.How, lastWords(a.ending))
	default:
		return ""
	}
}

// close ends the service and waits until nothing is left of it.
func (a *app) close() error {
	if a == nil {
		return nil
	}
	a.stop()
	<-a.ended
	if a.ending.Left.Remain != 0 {
		return errors.New("the service has ended: " + a.ending.Left.String())
	}
	return nil
}

// lastWords are the last lines that a process wrote, to its errors or else to
// its output.
func lastWords(ended process.Ending) string {
	for _, output := range []struct {
		name string
		kept process.Excerpt
	}{{"standard error", ended.Stderr}, {"standard output", ended.Stdout}} {
		text := strings.TrimSpace(strings.ToValidUTF8(string(output.kept.Head)+string(output.kept.Tail), "\uFFFD"))
		if text == "" {
			continue
		}
		lines := strings.Split(text, "\n")
		lines = lines[max(len(lines)-shownLines, 0):]
		return "; the last lines of its " + output.name + ":\n    " + strings.Join(lines, "\n    ")
	}
	return "; it wrote nothing"
}
