package command

import "os/exec"

// inNewSession does nothing: a job has no way out.
func inNewSession(*exec.Cmd) {}
