//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

func inNewSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
