//go:build unix

package main

import (
	"math"
	"syscall"
)

// openFiles is how many files the process may have open; 0 where that is not known.
// Go has raised it to what is allowed.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) //nolint:unconvert // it is signed on some systems, and fits
}
