package main

import (
	"errors"
	"fmt"
	"os"
)

// writeReady tells a script, by a file that a shell can read, that the server
// listens and where. The file is there whole or not at all.
func writeReady(name, url, controlURL, caFile string) error {
	about := "FAULTSRV_URL=" + url + "\n"
	if controlURL != "" {
		about += "FAULTSRV_CONTROL=" + controlURL + "\n"
	}
	if caFile != "" {
		about += "FAULTSRV_CA_FILE=" + caFile + "\n"
	}
	about += fmt.Sprintf("FAULTSRV_PID=%d\n", os.Getpid())
	if err := writeWhole(name, text(about)); err != nil {
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
