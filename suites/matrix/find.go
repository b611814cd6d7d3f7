package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/nethttp"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
	"github.com/faultsrv/faultsrv/suites/clients/resilientforms"
	"github.com/faultsrv/faultsrv/suites/profile"
	"github.com/faultsrv/faultsrv/suites/service"
)

// ProfileName is how the file of a client's profile is called.
const ProfileName = "profile.yaml"

// An Entrant is a client that can be judged.
type Entrant struct {
	// Name is how it is called; it names its files too.
	Name string
	// About says in a sentence what is judged.
	About string
	// Command judges it by itself, without a selection of contracts.
	Command []string

	open opening
	// service is its profile where it is a service, else nil.
	service *service.Profile
}

// An opening makes a client ready to be judged; what closes it is to be called in
// the end, and is nil where nothing is to be closed.
type opening func(ctx context.Context) (subject suites.Subject, closes func() error, err error)

// Find finds the clients that have a profile.yaml in a folder or in a folder of it,
// at any depth, and those that are built in and need no program; sorted by name.
// The error holds every profile that is wrong, and every name that comes twice; a
// folder without any profile is one.
func Find(folder string) ([]Entrant, error) {
	var entrants []Entrant
	for _, client := range GoClients() {
		entrants = append(entrants, client.entrant())
	}
	var problems []error
	profiles := 0
	// A folder as a file system is followed where it is a link, and is none where it is a file.
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("expected a folder with the profiles of clients, NAME/%s: %w", ProfileName, err)
		case entry.IsDir() && path != "." && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.Name() != ProfileName:
			return nil
		}
		profiles++
		found, err := load(filepath.Join(folder, filepath.FromSlash(path)))
		if err != nil {
			problems = append(problems, err)
			return nil
		}
		entrants = append(entrants, found)
		return nil
	})
	if err == nil && profiles == 0 {
		err = fmt.Errorf("expected a folder with the profiles of clients, NAME/%s: found none in it", ProfileName)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(entrants, func(a, b Entrant) int { return cmp.Compare(a.Name, b.Name) })
	problems = append(problems, nameProblems(entrants)...)
	return entrants, errors.Join(problems...)
}

// fileName is what a name has to be, that names files.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)

func nameProblems(sorted []Entrant) []error {
	var problems []error
	named := map[string]Entrant{} // by the name in small letters: many file systems take both for one
	for _, entrant := range sorted {
		if !fileName.MatchString(entrant.Name) {
			problems = append(problems, fmt.Errorf("the client %q: expected a name of letters, digits, dots, dashes and plus signs, at most 100 of them: it names files", entrant.Name))
		}
		if other, twice := named[strings.ToLower(entrant.Name)]; twice {
			problems = append(problems, fmt.Errorf("two clients are called %q (%s; %s): expected a name of its own for each",
				entrant.Name, strings.Join(other.Command, " "), strings.Join(entrant.Command, " ")))
		}
		named[strings.ToLower(entrant.Name)] = entrant
	}
	return problems
}

// A GoClient is a client in Go that is part of this module, so that it needs no program.
type GoClient struct {
	// About says in a sentence what is judged.
	About   string
	Subject suites.Subject
}

// GoClients are all of them, sorted by name.
func GoClients() []GoClient {
	clients := []GoClient{
		{"Go's net/http without a retry layer", nethttp.Client()},
		{"the reference client, resilient.Transport over net/http", resilient.Client()},
	}
	for _, form := range resilientforms.All() {
		clients = append(clients, GoClient{form.About, form})
	}
	return clients
}

// entrant is the client as one that can be judged.
func (c GoClient) entrant() Entrant {
	known := c.Subject.Profile()
	return Entrant{
		Name: known.Name, About: c.About, Command: known.Rerun,
		open: func(context.Context) (suites.Subject, func() error, error) { return c.Subject, nil, nil },
	}
}

// load reads a profile, of any kind.
func load(file string) (Entrant, error) {
	data, err := scenarios.ReadFile(file)
	if err != nil {
		return Entrant{}, err
	}
	rerun := []string{"faultsrv", "test", "--client", filepath.ToSlash(file)}
	if scenarios.Peek(data, "kind") == string(service.KindService) {
		p, err := service.Load(file)
		if err != nil {
			return Entrant{}, err
		}
		return Entrant{Name: p.Name, About: p.About, Command: rerun, service: &p, open: func(ctx context.Context) (suites.Subject, func() error, error) {
			subject, err := service.Start(ctx, p, nil, service.Options{Rerun: rerun})
			if err != nil {
				return nil, nil, err
			}
			return subject, subject.Close, nil
		}}, nil
	}
	p, err := profile.Load(file)
	if err != nil {
		return Entrant{}, err
	}
	return Entrant{Name: p.Name, About: p.About, Command: rerun, open: func(ctx context.Context) (suites.Subject, func() error, error) {
		client, err := p.Open(ctx, profile.Options{Rerun: rerun})
		if err != nil {
			return nil, nil, err
		}
		return client, client.Close, nil
	}}, nil
}
