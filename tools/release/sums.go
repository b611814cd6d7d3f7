package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// sumsFile holds a checksum for each other file, as sha256sum --check reads it.
const sumsFile = "SHA256SUMS"

// writeSums writes the checksums of all files of a folder, sorted by name.
func writeSums(folder string) error {
	files, err := names(folder)
	if err != nil {
		return err
	}
	var text []byte
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), text, 0o644)
}
