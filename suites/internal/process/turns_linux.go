package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// turnsOf waits until a process has ended, and reads what the kernel has counted
// of its first thread (/proc/PID/schedstat, in nanoseconds). It leaves the
// process to be fetched: afterwards there is nothing to read.
func turnsOf(pid int) turns {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return turns{}
		}
		break
	}
	// A number of ours under a folder of the kernel's.
	line, err := os.ReadFile(filepath.Join(processes, strconv.Itoa(pid), "schedstat")) //nolint:gosec // G703: no path of a user's
	if err != nil {
		return turns{}
	}
	var ran, waited int64
	if _, err := fmt.Sscan(string(line), &ran, &waited); err != nil {
		return turns{}
	}
	return turns{ran: time.Duration(ran), waited: time.Duration(waited)}
}
