package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// heading says what is compared, and on which machine.
func heading(o options, all []entrant) string {
	var names []string
	for _, e := range all {
		names = append(names, e.name)
	}
	length := "A full run"
	if o.quick {
		length = "A quick run, whose figures are rough"
	}
	return fmt.Sprintf(`# What the fault server costs, and how true its faults are

%s of %s on %s.
%s
Compared: %s. The servers are processes of their own on the same machine as the
client, and share its processors with it.
`, "`make bench-server`", strings.ToLower(length[:1])+length[1:], machine(), versions(o), strings.Join(names, ", "))
}

// machine is what tells this machine from others, without its name.
func machine() string {
	model := "an unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	kernel := "?"
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel = strings.TrimSpace(string(text))
	}
	return fmt.Sprintf("%d × %s, %s/%s, Linux %s, %s", runtime.NumCPU(), model, runtime.GOOS, runtime.GOARCH, kernel, runtime.Version())
}

// versions are those of ours and of the peers.
func versions(o options) string {
	all := []string{firstLine(exec.Command(o.faultsrv, "--version"))} //nolint:noctx // it ends at once
	if o.peers == "" {
		return all[0] + "."
	}
	for _, program := range []string{"go-httpbin", "toxiproxy"} {
		all = append(all, program+" "+moduleVersion(filepath.Join(o.peers, program)))
	}
	for _, name := range []string{"mountebank", "wiremock"} {
		all = append(all, name+" "+packageVersion(filepath.Join(o.packages, name, "package.json")))
	}
	all = append(all, "Node "+firstLine(exec.Command("node", "--version")), firstLine(exec.Command("java", "--version"))) //nolint:noctx // they end at once
	return strings.Join(all, ", ") + "."
}

// firstLine is what a command prints first, on whichever output.
func firstLine(cmd *exec.Cmd) string {
	text, err := cmd.CombinedOutput()
	if err != nil {
		return filepath.Base(cmd.Path) + " of an unknown version"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// moduleVersion is the version of the module that a Go program was built from.
func moduleVersion(program string) string {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "of an unknown version"
	}
	for _, dep := range info.Deps {
		if strings.HasPrefix(info.Path, dep.Path+"/") {
			return dep.Version
		}
	}
	return info.Main.Version
}

// packageVersion is the version in a package's description.
func packageVersion(name string) string {
	var description struct {
		Version string `json:"version"`
	}
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &description)
	}
	if err != nil {
		return "of an unknown version"
	}
	return description.Version
}
