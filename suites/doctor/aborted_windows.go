package doctor

import (
	"errors"
	"syscall"
)

// isAborted recognises Windows' own words for a reset: WSAECONNABORTED and
// WSAECONNRESET.
func isAborted(err error) bool {
	return errors.Is(err, syscall.WSAECONNRESET) || errors.Is(err, syscall.Errno(10053))
}
