package process

import (
	"fmt"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a command and everything that it has started: a job, which a process
// cannot leave.
type tree struct {
	job     windows.Handle
	command *exec.Cmd
}

func newTree(string) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a job for the command: %w", err)
	}
	// Should we be ended ourselves, the job ends with its last handle.
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))) //nolint:gosec // the call takes a pointer to this very type
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("limit the command's job: %w", err)
	}
	return &tree{job: job}, nil
}

// prepare has the command started in a group of its own, which CTRL_BREAK can
// be sent to.
func (t *tree) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// started puts the command into the job. One that has ended already cannot be
// put there, and need not be.
func (t *tree) started(cmd *exec.Cmd) {
	t.command = cmd
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	handle, err := windows.OpenProcess(access, false, uint32(cmd.Process.Pid))
	if err != nil {
		return
	}
	_ = windows.AssignProcessToJobObject(t.job, handle)
	_ = windows.CloseHandle(handle)
}

// terminate asks all to end, as far as they share our console.
func (t *tree) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.command.Process.Pid))
}

// kill ends all.
func (t *tree) kill() {
	_ = windows.TerminateJobObject(t.job, 1)
	_ = t.command.Process.Kill() // if it is not in the job
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	totalUserTime, totalKernelTime, periodUserTime, periodKernelTime int64
	pageFaults, processes, activeProcesses, terminatedProcesses      uint32
}

// alive is how many processes of the job run.
func (t *tree) alive() int {
	var info accounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil) //nolint:gosec // as above
	if err != nil {
		return 0
	}
	return int(info.activeProcesses)
}

// close gives the job back; whatever is still in it ends.
func (t *tree) close() { _ = windows.CloseHandle(t.job) }
