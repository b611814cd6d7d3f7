// Command release makes what a release consists of: for each platform an archive
// with the program, and its SBOM; and the checksums of them all. The same commit
// and the same Go give the same bytes, in whatever folder they are built.
//
// It is run by make release, in the root of the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole command; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "release: %v\n", err) // the status says it too
		return 2
	}
	if err := r.make(ctx, stdout); err != nil {
		_, _ = fmt.Fprintf(stderr, "release: %v\n", err)
		return 1
	}
	return 0
}

// A release is what to make.
type release struct {
	version   string
	platforms []platform
	// time is what the files in the archives are dated.
	time time.Time
	// out is the folder that everything is left in. It must not be there yet, so that nothing old is shipped.
	out string
	// commit records in the program which commit it was built from.
	commit bool
}

func parse(args []string, stderr io.Writer) (release, error) {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", "", "the `VERSION` that the program says, such as v1.2.3")
	names := flags.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64", "build for these, a `LIST` with commas")
	seconds := flags.Int64("time", 0, "date the files in the archives by this `NUMBER` of seconds since 1970, the commit's")
	out := flags.String("out", "dist", "leave everything in this new `FOLDER`")
	commit := flags.Bool("commit", true, "record the commit in the program")
	if err := flags.Parse(args); err != nil {
		return release{}, err
	}
	r := release{version: *version, time: time.Unix(*seconds, 0).UTC(), out: *out, commit: *commit}
	if r.version == "" || flags.NArg() > 0 {
		return release{}, fmt.Errorf("expected -version and no arguments, got -version %q and %q", r.version, flags.Args())
	}
	for name := range strings.SplitSeq(*names, ",") {
		system, processor, both := strings.Cut(name, "/")
		if !both {
			return release{}, fmt.Errorf("-platforms %q: expected pairs such as linux/amd64", name)
		}
		r.platforms = append(r.platforms, platform{system, processor})
	}
	return r, nil
}

// make makes the release in a folder beside the one asked for, and gives it the
// name when all is there: a release is whole or is not.
func (r release) make(ctx context.Context, stdout io.Writer) (err error) {
	if _, err := os.Stat(r.out); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is there already: expected a new folder, so that nothing of an older release is shipped; remove it", r.out)
	}
	parts, err := os.MkdirTemp(filepath.Dir(filepath.Clean(r.out)), "release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(parts)) }()
	shipped := filepath.Join(parts, "shipped")
	if err := os.Mkdir(shipped, 0o755); err != nil {
		return err
	}
	for _, p := range r.platforms {
		made, err := r.makeFor(ctx, p, parts, shipped)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if _, err := fmt.Fprintln(stdout, strings.Join(made, "  ")); err != nil {
			return err
		}
	}
	if err := writeSums(shipped); err != nil {
		return err
	}
	return os.Rename(shipped, r.out)
}

// makeFor makes a platform's archive and SBOM, and returns their names.
func (r release) makeFor(ctx context.Context, p platform, parts, shipped string) ([]string, error) {
	folder := filepath.Join(parts, p.system+"_"+p.processor)
	program, err := r.build(ctx, p, folder)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("faultsrv_%s_%s_%s", r.version, p.system, p.processor)
	bill := name + ".cdx.json"
	if err := r.list(ctx, program, filepath.Join(shipped, bill)); err != nil {
		return nil, err
	}
	files := []string{program, "LICENSE", "README.md", "CHANGELOG.md"}
	packed, err := r.pack(filepath.Join(shipped, name), p, files)
	return []string{packed, bill}, err
}

// names are the files of a folder, sorted.
func names(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	slices.Sort(all)
	return all, nil
}
