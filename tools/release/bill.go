package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// list writes a program's SBOM, in CycloneDX's JSON, and holds it to what the
// program says itself: a bill that leaves something out is worse than none.
func (r release) list(ctx context.Context, program, file string) error {
	// Neither a serial number nor the time: the same program has the same bill.
	cmd := exec.CommandContext(ctx, "go", "tool", "-modfile=tools/cyclonedx-gomod.mod", "cyclonedx-gomod", "bin",
		"-json", "-std", "-noserial", "-notimestamp", "-version", r.version, "-output", file, program)
	// The tool notes its own hash, which must not depend on where its modules lie.
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	bill, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("what %s was built from: %w", program, err)
	}
	return checkBill(bill, info)
}

// checkBill says which modules a program was built from and its bill leaves out,
// or says otherwise, and which it adds. The standard library is one of them.
func checkBill(bill []byte, info *buildinfo.BuildInfo) error {
	var written struct {
		Components []struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"components"`
	}
	if err := json.Unmarshal(bill, &written); err != nil {
		return fmt.Errorf("the SBOM: %w", err)
	}
	built := map[string]string{"std": info.GoVersion}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		built[module.Path] = module.Version
	}
	var problems []error
	for _, component := range written.Components {
		version, there := built[component.Name]
		delete(built, component.Name) // the second time, it is not there
		switch {
		case !there:
			problems = append(problems, fmt.Errorf("the SBOM lists %s once too often: expected what the program was built from, each once", component.Name))
		case strings.TrimPrefix(component.Version, "v") != strings.TrimPrefix(version, "v"):
			problems = append(problems, fmt.Errorf("the SBOM lists %s %s; the program was built from %s", component.Name, cmp.Or(component.Version, "without a version"), version))
		}
	}
	for path, version := range built {
		problems = append(problems, fmt.Errorf("the SBOM does not list %s %s, which the program was built from", path, version))
	}
	return errors.Join(problems...)
}
