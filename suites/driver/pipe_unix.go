//go:build unix

package driver

import (
	"os"
	"syscall"
)

// makePipe makes a pipe that has a name in the file system.
func makePipe(path string) error {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	return nil
}

// openPipeIfRead opens it for writing; it fails while nobody has it open for
// reading.
func openPipeIfRead(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
}
