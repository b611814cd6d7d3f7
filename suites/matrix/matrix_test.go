package matrix

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/nethttp"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func names(entrants []Entrant) []string {
	var all []string
	for _, entrant := range entrants {
		all = append(all, entrant.Name)
	}
	return all
}

func TestClientsOfAllKindsAreFound(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"top/profile.yaml":                 "kind: exec\nname: top\nabout: a command\ncommand: [curl, \"{url}\"]\n",
		"ruby/deep/profile.yaml":           "kind: driver\nname: deep\ncommand: [ruby, driver.rb]\n",
		"proxies/front/profile.yaml":       "kind: service\nname: front\nabout: a proxy\nupstreams: {up: {listen: \"127.0.0.1:1\"}}\ntrigger: {url: \"http://127.0.0.1:2/\"}\npolicy: {attempts: 1}\n",
		"node/node_modules/x/profile.yaml": "no profile of ours",
		"other.yaml":                       "no profile",
	})
	found, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"deep", "front", "nethttp", "resilient", "resilient-api", "resilient-breaker", "resilient-client", "top"}
	if !slices.Equal(names(found), want) {
		t.Errorf("found %q, want %q", names(found), want)
	}
	top := found[len(found)-1]
	if top.About != "a command" || !slices.Equal(top.Command, []string{"faultsrv", "test", "--client", filepath.ToSlash(filepath.Join(dir, "top", "profile.yaml"))}) {
		t.Errorf("top is %+v", top)
	}
}

func TestEveryWrongProfileIsTold(t *testing.T) {
	t.Parallel()
	_, err := Find(folder(t, map[string]string{
		"a/profile.yaml": "kind: exec\nname: a\n",
		"b/profile.yaml": "kind: service\nname: b\n",
		"c/profile.yaml": "kind: driver\nname: resilient\ncommand: [x]\n",
	}))
	for _, want := range []string{"a/profile.yaml:1:1: command: expected a program", "b/profile.yaml:1:1: upstreams: expected at least one", `two clients are called "resilient"`} {
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

// A folder is followed where it is a link, as a checkout elsewhere may be.
func TestAFolderMayBeALink(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"top/profile.yaml": "kind: exec\nname: top\ncommand: [curl, \"{url}\"]\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	found, err := Find(link)
	if err != nil || !slices.Contains(names(found), "top") {
		t.Errorf("found %q, %v; want top among them", names(found), err)
	}
}

func TestAFolderWithoutAProfileIsTold(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"README.md": "no profile"})
	for _, name := range []string{dir, filepath.Join(dir, "README.md"), filepath.Join(dir, "none")} {
		if found, err := Find(name); err == nil || !strings.Contains(err.Error(), "expected a folder with the profiles of clients, NAME/profile.yaml: ") {
			t.Errorf("%s: found %q, %v; want it refused", filepath.Base(name), names(found), err)
		}
	}
}

func TestNamesThatNameNoFilesAreTold(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"a/profile.yaml": "kind: exec\nname: ../up\ncommand: [x, \"{url}\"]\n",
		"b/profile.yaml": "kind: exec\nname: " + strings.Repeat("long", 30) + "\ncommand: [x, \"{url}\"]\n",
		"c/profile.yaml": "kind: exec\nname: twice\ncommand: [x, \"{url}\"]\n",
		"d/profile.yaml": "kind: exec\nname: Twice\ncommand: [x, \"{url}\"]\n",
	})
	_, err := Find(dir)
	for _, want := range []string{`the client "../up": expected a name`, `the client "longlong`, "d/profile.yaml; faultsrv test --client "} {
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

// busy is a subject on a machine that was too busy the first so many times.
type busy struct {
	*suites.RoundTripper

	times atomic.Int32
}

func (*busy) Fit(c *scenarios.Contract) (fitted *scenarios.Contract, reasons []string) { return c, nil }

func (b *busy) Stage(_ context.Context, config faultserver.Config) (suites.Stage, error) {
	if b.times.Add(-1) >= 0 {
		return nil, errors.New("the machine was too busy")
	}
	session, err := faultserver.Open(config)
	return stage{b.RoundTripper, session}, err
}

type stage struct {
	suites.Subject

	session *faultserver.Session
}

func (s stage) Session() *faultserver.Session { return s.session }
func (s stage) Close() error                  { return s.session.Close() }

// What was void is measured once more; a second time it stays so.
func TestWhatWasVoidIsMeasuredOnceMore(t *testing.T) {
	t.Parallel()
	for times, want := range map[int32]assertions.Verdict{0: assertions.Pass, 1: assertions.Pass, 2: assertions.HarnessError} {
		subject := &busy{RoundTripper: nethttp.Client()}
		subject.times.Store(times)
		var run reports.Run
		JudgeAll(t.Context(), []Entrant{GoClient{"", subject}.entrant()}, contract(t), suites.Options{}, 1, func(done Judged) {
			if done.Err != nil {
				t.Error(done.Err)
			}
			run = done.Run
		})
		if got := run.Results[0].Verdict; got != want || run.Totals[scenarios.Must][want] != 1 || len(run.Results) != 1 {
			t.Errorf("too busy %d times: %s, totals %v; want %s", times, got, run.Totals, want)
		}
	}
}

func contract(t *testing.T) []*scenarios.Contract {
	t.Helper()
	all, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := scenarios.Select(all, scenarios.Selection{Patterns: []string{"attempts.success-is-final"}})
	if err != nil {
		t.Fatal(err)
	}
	return chosen
}

func TestClientsAreJudgedSideBySide(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such program")
	entrants := []Entrant{
		GoClient{"as it comes", nethttp.Client()}.entrant(),
		{Name: "absent", open: func(context.Context) (suites.Subject, func() error, error) { return nil, nil, broken }},
		GoClient{"once more", nethttp.Client()}.entrant(),
	}
	told := map[string]Judged{}
	JudgeAll(t.Context(), entrants, contract(t), suites.Options{}, 2, func(done Judged) { told[done.Entrant.About+done.Entrant.Name] = done })
	if len(told) != 3 {
		t.Fatalf("told of %d, want 3", len(told))
	}
	for _, about := range []string{"as it comesnethttp", "once morenethttp"} {
		if done := told[about]; done.Err != nil || len(done.Run.Results) != 1 || done.Run.Results[0].Verdict != assertions.Pass || done.Took <= 0 {
			t.Errorf("%s: %+v", about, done)
		}
	}
	if err := told["absent"].Err; !errors.Is(err, broken) || !strings.Contains(err.Error(), "absent cannot be started: ") {
		t.Errorf("got %v, want why it cannot be started", err)
	}
}

func TestARunThatIsCutShortTellsOfAll(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("got SIGINT")
	cancel(stopped)
	var told []Judged
	JudgeAll(ctx, []Entrant{GoClient{"", nethttp.Client()}.entrant(), GoClient{"", nethttp.Client()}.entrant()}, contract(t), suites.Options{}, 1, func(done Judged) { told = append(told, done) })
	if len(told) != 2 || !errors.Is(told[0].Err, stopped) || !errors.Is(told[1].Err, stopped) {
		t.Errorf("told %+v, want both with the cause", told)
	}
}
