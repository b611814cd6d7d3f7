package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

var _ suites.Subject = (*Subject)(nil)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plainFile := filepath.Join(t.TempDir(), "not-executable")
	if err := os.WriteFile(plainFile, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args    []string
		options Options
		want    []string
	}{
		"no command":          {want: []string{"there is no command"}},
		"no such program":     {args: []string{"no-such-program-anywhere", "{url}"}, want: []string{`"no-such-program-anywhere": executable file not found`, "name a program on the PATH"}},
		"no such file":        {args: []string{"./no/such/file", "{url}"}, want: []string{"cannot run it", "./no/such/file"}},
		"not executable":      {args: []string{plainFile, "{url}"}, want: []string{"cannot run it"}},
		"a folder":            {args: []string{t.TempDir(), "{url}"}, want: []string{"cannot run it"}},
		"a placeholder":       {args: []string{"{url}", "{url}"}, want: []string{"cannot run it"}},
		"no url":              {args: []string{program, "-v"}, want: []string{"write {url}", "FAULTSRV_URL"}},
		"all at once":         {args: []string{program, "{retrys}"}, want: []string{"{retries}", "write {url}"}},
		"rounded and exact":   {args: []string{program, "{url}", "{backoff}", "{backoff-ms}"}, want: []string{"{backoff} and {backoff-ms} tell the same value"}},
		"rounded and read":    {args: []string{program, "{url}", "{timeout}"}, options: Options{Reads: []string{"timeout-ms"}}, want: []string{"{timeout} and {timeout-ms}"}},
		"reads nonsense":      {args: []string{program, "{url}"}, options: Options{Reads: []string{"retry"}}, want: []string{`no value "retry" to read; did you mean "retries"?`}},
		"time":                {args: []string{program, "{url}"}, options: Options{CallTimeout: -time.Second}, want: []string{"cannot time out after -1s"}},
		"limit":               {args: []string{program, "{url}"}, options: Options{OutputLimit: -1}, want: []string{"-1 bytes"}},
		"success as an error": {args: []string{program, "{url}"}, options: Options{ExitKinds: map[int]scenarios.ErrorKind{0: scenarios.ErrTimeout}}, want: []string{`exit status 0 cannot stand for "timeout"`}},
		"environment":         {args: []string{program, "{url}"}, options: Options{Env: []string{"hunter2"}}, want: []string{"KEY=value"}},
		"answers untold":      {args: []string{program, "{url}"}, options: Options{Answers: []int{22}}, want: []string{"exit status 22 stands for an answer, and nothing says which"}},
		"an answer and error": {args: []string{program, "{url}"}, options: Options{Answers: []int{7, 0}, Status: fromStderr, ExitKinds: map[int]scenarios.ErrorKind{7: scenarios.ErrReset}}, want: []string{`exit status 7 cannot stand for an answer`, `it stands for "reset"`, "exit status 0 cannot"}},
		"no group":            {args: []string{program, "{url}"}, options: Options{Status: &StatusSource{Pattern: regexp.MustCompile("x")}}, want: []string{"a pattern with a group"}},
		"no version":          {args: []string{program, "{url}"}, options: Options{VersionCommand: []string{"go", "version"}, VersionPattern: regexp.MustCompile("rust (.*)")}, want: []string{`expected what matches "rust (.*)" in what ["go" "version"] prints; its first line is "go version go`}},
		"version with escape": {args: []string{program, "{url}"}, options: Options{VersionCommand: []string{"go", "version"}, VersionPattern: regexp.MustCompile("(?s)^(.*)$")}, want: []string{"expected a line without control characters"}},
		"no version command":  {args: []string{program, "{url}"}, options: Options{VersionCommand: []string{"no-such-program-anywhere"}}, want: []string{"ask for the version"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			subject, err := New(test.args, test.options)
			if err == nil {
				t.Fatalf("New made %+v, want an error", subject.Profile())
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want it to say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %q tells the environment", err)
			}
		})
	}
}

func TestCapabilitiesFollowFromPlaceholders(t *testing.T) {
	t.Parallel()
	always := []scenarios.Capability{scenarios.CanRetry, scenarios.CanParallel}
	for name, test := range map[string]struct {
		args    []string
		options Options
		want    []scenarios.Capability
	}{
		"none":        {want: nil},
		"attempts":    {args: []string{"{attempts}"}, want: []scenarios.Capability{scenarios.CanAttempts}},
		"retries":     {args: []string{"{retries}", "{retries}"}, want: []scenarios.Capability{scenarios.CanAttempts}},
		"backoff":     {args: []string{"{backoff}"}, want: []scenarios.Capability{scenarios.CanBackoff}},
		"timeouts":    {args: []string{"{timeout}", "{attempt-timeout-ms}"}, want: []scenarios.Capability{scenarios.CanTimeout, scenarios.CanAttemptTimeout}},
		"request":     {args: []string{"{method}", "-H", "{header...}", "{body-file}"}, want: []scenarios.Capability{scenarios.CanMethod, scenarios.CanHeaders, scenarios.CanRequestBody}},
		"answer":      {args: []string{"{output}"}, want: []scenarios.Capability{scenarios.CanResponseBody}},
		"exit kinds":  {options: Options{ExitKinds: map[int]scenarios.ErrorKind{7: scenarios.ErrConnect}}, want: []scenarios.Capability{scenarios.CanErrorKind}},
		"environment": {options: Options{Reads: []string{"backoff-ms"}}, want: []scenarios.Capability{scenarios.CanBackoff}},
		"variable":    {args: []string{"$FAULTSRV_METHOD"}, want: []scenarios.Capability{scenarios.CanMethod}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			profile := helper(t, test.options, append([]string{"print", "{url}"}, test.args...)...).Profile()
			if want := slices.Concat(always, test.want); !slices.Equal(profile.Capabilities, want) {
				t.Errorf("capabilities %q, want %q", profile.Capabilities, want)
			}
			if profile.Kind != "exec" {
				t.Errorf("kind %q, want exec", profile.Kind)
			}
		})
	}
}

func TestNameAndVersion(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	profile := helper(t, Options{VersionCommand: []string{program, "print", "7.1"}}, "print", "{url}").Profile()
	if profile.Version != "arg 7.1" {
		t.Errorf("version %q, want the first line of the version command, \"arg 7.1\"", profile.Version)
	}
	if want := strings.TrimSuffix(filepath.Base(program), ".exe"); profile.Name != want {
		t.Errorf("name %q, want the program's file name %q", profile.Name, want)
	}
	if name := helper(t, Options{Name: "mine"}, "print", "{url}").Profile().Name; name != "mine" {
		t.Errorf("name %q, want the one that was given", name)
	}
	_, err = New([]string{program, "{url}"}, Options{VersionCommand: []string{program, "fail", "3", "oh"}, Env: []string{helperVariable + "=1"}})
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("a version command that failed gave the error %v, want its exit status", err)
	}
}

func TestOpenNeedsWhatTheCommandIsToBeTold(t *testing.T) {
	t.Parallel()
	zero := 0
	for name, test := range map[string]struct {
		uses   placeholder
		policy scenarios.Policy
		want   string
	}{
		"attempts":    {attempts, scenarios.Policy{}, "does not say how many"},
		"backoff":     {backoff, scenarios.Policy{}, "the policy has none"},
		"no attempts": {url, scenarios.Policy{Attempts: &zero}, "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := subjectUsing(test.uses).Open(test.policy)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open gave the error %v, want it to say %q", err, test.want)
			}
		})
	}
	if _, err := subjectUsing().Open(scenarios.Policy{}); err != nil {
		t.Errorf("a command that is told nothing was refused an empty policy: %v", err)
	}
}

func TestRerunIsTheCommandWithoutItsEnvironment(t *testing.T) {
	t.Parallel()
	subject := helper(t, Options{Env: []string{"TOKEN=hunter2"}}, "print", "{url}", "a b")
	want := slices.Concat([]string{"faultsrv", "test", "--"}, subject.args)
	if rerun := subject.Profile().Rerun; !slices.Equal(rerun, want) {
		t.Errorf("rerun is %q, want %q", rerun, want)
	}
}

func TestTheProfileCanBeAmended(t *testing.T) {
	t.Parallel()
	promised := &scenarios.Policy{Statuses: []int{503}}
	subject := helper(t, Options{
		Status: fromStderr, VersionCommand: []string{"go", "version"}, VersionPattern: regexp.MustCompile(`go version go(\d)`),
		Amend: func(profile *suites.Profile) {
			profile.Promises = promised
			profile.Capabilities = slices.DeleteFunc(profile.Capabilities, func(c scenarios.Capability) bool { return c == scenarios.CanMethod })
		},
	}, "print", "{url}", "{method}")
	profile := subject.Profile()
	if profile.Promises != promised || profile.Can(scenarios.CanMethod) || !profile.Can(scenarios.CanStatus) || profile.Version != "1" {
		t.Errorf("got %+v", profile)
	}
	if notes := strings.Join(subject.Notes(), "\n"); !strings.Contains(notes, "not method: its profile says that it cannot") || strings.Contains(notes, "not status") {
		t.Errorf("notes\n%s", notes)
	}
}

func TestNotesSayWhatCannotBeJudged(t *testing.T) {
	t.Parallel()
	notes := strings.Join(helper(t, Options{}, "print", "{url}", "{retries}", "{backoff}").Notes(), "\n")
	for _, want := range []string{
		"judged by what the command line tells it: retry, parallel, attempts, backoff",
		"not timeout: no {timeout}", "not method: no {method}", "not response-body: no {output}", "not error-kind", "not status",
		"{backoff} is in whole seconds, rounded up, and judged so; {backoff-ms} is exact",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes\n%s\nwant them to say %q", notes, want)
		}
	}
	if strings.Contains(notes, "not attempts") {
		t.Errorf("notes\n%s\nsay that attempts are not told, and {retries} tells them", notes)
	}
}
