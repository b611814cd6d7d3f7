package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeReady tells a script, by a file that a shell can read, that the server
// listens and where. The file is there whole or not at all.
func writeReady(name, url, controlURL, caFile string) error {
	text := "FAULTSRV_URL=" + url + "\n"
	if controlURL != "" {
		text += "FAULTSRV_CONTROL=" + controlURL + "\n"
	}
	if caFile != "" {
		text += "FAULTSRV_CA_FILE=" + caFile + "\n"
	}
	text += fmt.Sprintf("FAULTSRV_PID=%d\n", os.Getpid())
	temporary, err := os.CreateTemp(filepath.Dir(name), ".faultsrv-ready-*")
	if err == nil {
		_, err = temporary.WriteString(text)
		err = errors.Join(err, temporary.Close())
		if err == nil {
			err = os.Rename(temporary.Name(), name)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("--ready-file: expected a file that can be written: %w", err)
	}
	return nil
}

// removeReady takes the file away: what it says is true no more. What is no file,
// such as /dev/stdout, is left alone and refused: whoever may write to devices may
// remove them, too.
func removeReady(name string) error {
	if found, err := os.Stat(name); err == nil && !found.Mode().IsRegular() {
		return fmt.Errorf("--ready-file: expected a file that can be written and removed; %s is none: name one that is there for nothing else", name)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("--ready-file: expected a file that can be written and removed: %w", err)
	}
	return nil
}
