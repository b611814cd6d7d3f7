package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// stub is an entry of a stub file.
type stub struct {
	Match   faultserver.Match `yaml:"match"`
	Respond *Reply            `yaml:"respond"`
}

// readStubs reads the .yaml files of a folder, in the order of their names. The
// error has all that is wrong, or says that the folder cannot be read or has none.
func readStubs(dir string) ([]faultserver.Stub, error) {
	entries, err := os.ReadDir(dir)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("cannot read the folder: %w; it is looked for from the profile's folder", failed.Err)
	}
	var stubs []faultserver.Stub
	var problems scenarios.Problems
	files := 0
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != ".yaml" {
			continue
		}
		files++
		read, wrong := readStubFile(filepath.Join(dir, entry.Name()))
		stubs, problems = append(stubs, read...), append(problems, wrong...)
	}
	switch {
	case len(problems) > 0:
		return nil, problems
	case files == 0:
		return nil, errors.New("expected a folder with .yaml files, each a list of {match, respond}; it has none")
	}
	return stubs, nil
}

func readStubFile(file string) ([]faultserver.Stub, scenarios.Problems) {
	data, err := scenarios.ReadFile(file)
	if err != nil {
		return nil, scenarios.Problems{{File: file, Message: "cannot be read: " + err.Error()}}
	}
	var list []stub
	source, err := scenarios.DecodeStrict(file, data, &list)
	var problems scenarios.Problems
	if errors.As(err, &problems) {
		return nil, problems
	}
	l := loader{source: source, dir: filepath.Dir(file)}
	stubs := make([]faultserver.Stub, 0, len(list))
	for i, entry := range list {
		path := fmt.Sprintf("[%d]", i)
		if entry.Respond == nil {
			l.report(path, "expected respond: the answer to what matches; got none")
			continue
		}
		l.checkReply(path+".respond", entry.Respond)
		l.readReply(path+".respond", entry.Respond)
		made := faultserver.Stub{Match: entry.Match, Answer: entry.Respond.Answer}
		if err := (faultserver.Config{Stubs: []faultserver.Stub{made}}).Validate(); err != nil {
			l.report(path+".respond", "%v", err)
		}
		stubs = append(stubs, made)
	}
	return stubs, l.problems
}
