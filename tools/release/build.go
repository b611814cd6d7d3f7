package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// A platform is what a program is built for, in Go's words: GOOS and GOARCH.
type platform struct{ system, processor string }

func (p platform) String() string { return p.system + "/" + p.processor }

// build builds the program into a folder and returns its file. What the machine's
// own settings could change about it is set here.
func (r release) build(ctx context.Context, p platform, folder string) (string, error) {
	program := filepath.Join(folder, "faultsrv")
	if p.system == "windows" {
		program += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs="+strconv.FormatBool(r.commit),
		"-ldflags", "-s -w -X main.version="+r.version, "-o", program, "./cmd/faultsrv")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.processor,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return program, nil
}
