package driver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites"
)

// files are what a driver is told by the name of a file: the bodies of calls, and
// the authorities that it is to trust. They are in a folder of their own that is
// made for the first.
type files struct {
	mu   sync.Mutex
	dir  string
	made int
	// trusted are the files that are there already, by what they hold.
	trusted map[string]string
}

// of is the body of a request, in a file; nil for none.
func (f *files) of(request suites.Request) (body *wireBody, err error) {
	if request.Body != nil {
		body, err = f.write(*request.Body)
	}
	return body, err
}

// write writes a body to a file of its own.
func (f *files) write(body faultserver.Body) (*wireBody, error) {
	path, err := f.next()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.Copy(file, body.Reader())
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("write the request's body for the driver: %w", err)
	}
	return &wireBody{File: path, Length: body.Len(), SHA256: body.SHA256(), Stream: body.Stream}, nil
}

// next is the path of a body's file that is not there yet.
func (f *files) next() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.makeDir(); err != nil {
		return "", err
	}
	f.made++
	return filepath.Join(f.dir, fmt.Sprintf("body-%d", f.made)), nil
}

// makeDir makes the folder where it is not there yet. The lock is held.
func (f *files) makeDir() error {
	if f.dir != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "faultsrv-driver-")
	if err != nil {
		return fmt.Errorf("make a folder for what the driver is told by files: %w", err)
	}
	f.dir = dir
	return nil
}

// trusting is a file with an authority, which is there until the driver ends.
func (f *files) trusting(authority *faultserver.Authority) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.makeDir(); err != nil {
		return "", err
	}
	content := authority.PEM()
	path, written := f.trusted[string(content)]
	if written {
		return path, nil
	}
	path = filepath.Join(f.dir, fmt.Sprintf("ca-%d.pem", len(f.trusted)+1))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("write the authority that the driver is to trust: %w", err)
	}
	if f.trusted == nil {
		f.trusted = map[string]string{}
	}
	f.trusted[string(content)] = path
	return path, nil
}

func (f *files) remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		return nil
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return fmt.Errorf("remove the driver's files: %w", err)
	}
	return nil
}
