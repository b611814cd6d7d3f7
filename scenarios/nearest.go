package scenarios

import "github.com/faultsrv/faultsrv/internal/nearest"

// Nearest is the word that a reader may have meant by what was written, empty
// if none is near; for messages about other words than those of the format.
func Nearest(written string, words []string) string { return nearest.Word(written, words) }
