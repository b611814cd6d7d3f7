package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeWhole writes a file whole or leaves what was there: who reads it, and a run
// beside this one that writes to the same place, never meets half a file. What is
// no file, such as a pipe, is written to as it is; and so is what our own output goes
// to, as /dev/stdout names it: a file in its place would not have the rest of it.
func writeWhole(name string, render func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil {
		for _, ours := range []*os.File{os.Stdout, os.Stderr} {
			if its, err := ours.Stat(); err == nil && os.SameFile(info, its) {
				return render(ours)
			}
		}
		if !info.Mode().IsRegular() {
			return fill(name, os.O_WRONLY, render)
		}
	}
	temporary := fmt.Sprintf("%s.%s.part", name, rand.Text())
	err := fill(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, render)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		_ = os.Remove(temporary) // where there is one
	}
	return err
}

func fill(name string, how int, render func(io.Writer) error) error {
	file, err := os.OpenFile(name, how, 0o666) //nolint:gosec // the user's umask decides who may read it
	if err != nil {
		return err
	}
	return errors.Join(render(file), file.Close())
}

// text renders what is written already.
func text(content string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}
}
