package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// pack puts files into an archive, beside each other, and returns its name: a zip
// for Windows, a compressed tar for the others. Owners and times of the files as
// they lie there do not show, nor rights but whether one can be run: all are dated
// by the release.
func (r release) pack(name string, p platform, files []string) (packed string, err error) {
	begin, extension := newTar, ".tar.gz"
	if p.system == "windows" {
		begin, extension = newZip, ".zip"
	}
	out, err := os.Create(name + extension)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	into := begin(out)
	for i, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("expected a file to ship: %w", err)
		}
		mode := fs.FileMode(0o644)
		if i == 0 { // the program
			mode = 0o755
		}
		if err := into.add(entry{filepath.Base(file), content, mode, r.time}); err != nil {
			return "", err
		}
	}
	return filepath.Base(name + extension), into.Close()
}

// An entry is a file in an archive.
type entry struct {
	name    string
	content []byte
	mode    fs.FileMode
	time    time.Time
}

// An archive takes files one after another.
type archive interface {
	add(file entry) error
	io.Closer
}

type tarArchive struct {
	files      *tar.Writer
	compressed *gzip.Writer
}

func newTar(w io.Writer) archive {
	compressed := gzip.NewWriter(w)
	return tarArchive{tar.NewWriter(compressed), compressed}
}

func (a tarArchive) add(file entry) error {
	header := &tar.Header{Name: file.name, Size: int64(len(file.content)), Mode: int64(file.mode), ModTime: file.time, Format: tar.FormatUSTAR}
	if err := a.files.WriteHeader(header); err != nil {
		return err
	}
	_, err := a.files.Write(file.content)
	return err
}

func (a tarArchive) Close() error { return errors.Join(a.files.Close(), a.compressed.Close()) }

type zipArchive struct{ *zip.Writer }

func newZip(w io.Writer) archive { return zipArchive{zip.NewWriter(w)} }

func (a zipArchive) add(file entry) error {
	header := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: file.time}
	header.SetMode(file.mode)
	w, err := a.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = w.Write(file.content)
	return err
}
