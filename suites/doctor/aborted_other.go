//go:build !windows

package doctor

// isAborted recognises Windows' own words for a reset.
func isAborted(error) bool { return false }
