package scenarios

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile reads a file of this format, or of one that [DecodeStrict] reads. It
// reads no more than makes whoever parses it say that the file is too large: a
// name may lead to what has no end, such as a device.
func ReadFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return readBounded(file)
}

// readInTree is ReadFile for a file that nobody named, and that may therefore be
// anything: a pipe there would be waited for, without end.
func readInTree(files fs.FS, path string) ([]byte, error) {
	info, err := fs.Stat(files, path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: expected a regular file; got one of mode %v", path, info.Mode())
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	return readBounded(file)
}

func readBounded(file io.ReadCloser) (data []byte, err error) {
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	return io.ReadAll(io.LimitReader(file, MaxFileSize+1))
}
