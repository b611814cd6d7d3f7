package service

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// folder writes files and gives their folder.
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

// whole has every key of a profile.
const whole = `kind: service
name: orders
about: the checkout of the shop
command: [./start-app, --port, "8080"]
version: {command: [./start-app, --version], match: 'orders (\S+)'}
upstreams:
  payments:
    listen: "127.0.0.1:8081"
    succeed: {status: 201, headers: {Content-Type: application/json}, body-file: paid.json}
    otherwise: {stub: stubs}
  rates: {listen: "127.0.0.1:8082", succeed: 204, otherwise: {pass: "http://127.0.0.1:9000"}}
ready: {url: "http://127.0.0.1:8080/healthz", timeout: 1m}
trigger: {method: PUT, url: "http://127.0.0.1:8080/checkout", headers: {X-User: a}, body-file: cart.json}
match: {upstream: payments, method: POST, path: /charge, header: Idempotency-Key}
otherwise: {respond: 404}
outcome: {success: [200, 202], error: {502: exhausted, 504: timeout}}
policy: {attempts: 3, backoff: {constant: 40ms}, methods: [POST]}
baggage: true
quiet: 2s
known-failures: [{contract: body.*, reason: old library, link: "https://example.com/1"}]
`

func TestAProfileIsReadWithItsFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"service.yaml": whole, "paid.json": "{}", "cart.json": "[1]",
		"stubs/b.yaml":   "- {match: {path: /b}, respond: 202}\n",
		"stubs/a.yaml":   "- {match: {method: GET, path: /a}, respond: {status: 203, body: a}}\n- {respond: {status: 410, body-file: gone.txt}}\n",
		"stubs/gone.txt": "gone", "stubs/notes.md": "no stub",
	})
	p, err := Load(filepath.Join(dir, "service.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	wantStubs := []faultserver.Stub{
		{Match: faultserver.Match{Method: "GET", Path: "/a"}, Answer: faultserver.Answer{Status: 203, Body: faultserver.Body{Text: "a"}}},
		{Answer: faultserver.Answer{Status: 410, Body: faultserver.Body{Text: "gone"}}},
		{Match: faultserver.Match{Path: "/b"}, Answer: faultserver.Answer{Status: 202}},
	}
	payments := p.Upstreams["payments"]
	for what, pair := range map[string][2]any{
		"success":        {payments.success(), faultserver.Answer{Status: 201, Headers: faultserver.Headers{{Name: "Content-Type", Value: "application/json"}}, Body: faultserver.Body{Text: "{}"}}},
		"short success":  {p.Upstreams["rates"].success(), faultserver.Answer{Status: 204}},
		"stubs":          {payments.Otherwise.stubs, wantStubs},
		"otherwise":      {p.Otherwise.Respond.Status, 404},
		"pass":           {p.Upstreams["rates"].Otherwise.Pass, "http://127.0.0.1:9000"},
		"trigger's body": {p.Trigger.Body.Text, "[1]"},
		"method":         {p.Trigger.Method, "PUT"},
		"match":          {p.Match.Match, faultserver.Match{Method: "POST", Path: "/charge", Header: faultserver.Header{Name: "Idempotency-Key"}}},
		"kinds":          {p.Outcome.Error, map[int]scenarios.ErrorKind{502: scenarios.ErrExhausted, 504: scenarios.ErrTimeout}},
		"attempts":       {*p.Policy.Attempts, 3},
		"times":          {[]time.Duration{p.Quiet, p.Ready.Timeout}, []time.Duration{2 * time.Second, time.Minute}},
		"known failures": {p.KnownFailures[0].Contract, "body.*"},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// least is a profile with nothing that may be left out.
const least = `kind: service
name: orders
upstreams: {payments: {listen: "127.0.0.1:8081"}}
trigger: {url: "http://127.0.0.1:8080/"}
policy: {attempts: 1}
`

func TestAProfilesDefaults(t *testing.T) {
	t.Parallel()
	p, err := Parse("service.yaml", []byte(least))
	if err != nil {
		t.Fatal(err)
	}
	if p.Match.Upstream != "payments" || p.Trigger.Method != "POST" || quietOf(p) != leastQuiet {
		t.Errorf("upstream %q, method %q, quiet %v; want the only upstream, POST and %v", p.Match.Upstream, p.Trigger.Method, quietOf(p), leastQuiet)
	}
	p.Policy.Attempts, p.Policy.Backoff = ptr(3), &scenarios.Backoff{Exponential: ptr(time.Second)}
	if quietOf(p) != 4*time.Second {
		t.Errorf("quiet %v; want twice the longest pause, 4s", quietOf(p))
	}
}

func ptr[T any](value T) *T { return &value }

func TestAProfileSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing": {"{}", []string{
			"service.yaml:1:1: kind: expected kind: service",
			"expected the service's name",
			"expected at least one upstream for faultsrv to play",
			"expected a url or a command, one of the two",
			"expected policy.attempts: how many requests the service makes at most",
		}},
		"program": {least + "command: [\"\"]\nabout: \"a\\tb\"\nversion: {match: \"(\"}\n", []string{
			"expected a program that starts the service", "about: expected text without control characters",
			"expected a command that prints the version", "version.match: expected a regular expression",
		}},
		"words": {"kind: srevice\nnmae: x\nupstreams: {a: {lisetn: x}}\n", []string{
			`unknown word "srevice"; did you mean "service"?`, `did you mean "name"?`, `did you mean "listen"?`,
		}},
		"addresses": {least + `ready: {url: "127.0.0.1:8080"}
match: {upstream: paymnts}
`, []string{"ready.url: expected a URL of the service", `match.upstream: "paymnts" is no upstream; expected one of payments`}},
		"two upstreams": {strings.Replace(least, `{payments: {listen: "127.0.0.1:8081"}}`,
			`{a: {listen: "127.0.0.1:8081"}, b: {listen: "127.0.0.1:8081"}, c: {listen: ":80"}, d: {listen: "x:0"}}`, 1), []string{
			`upstreams.b.listen: "127.0.0.1:8081" is the address of a already`,
			`upstreams.c.listen: expected the host:port`, `upstreams.d.listen: expected the host:port`,
			"expected match.upstream, one of a, b, c, d",
		}},
		"a command": {strings.Replace(least, `trigger: {url: "http://127.0.0.1:8080/"}`, "trigger: {command: [''], method: GET, body: x}\nbaggage: true", 1), []string{
			"trigger.command: expected a program", "trigger.method: a command has no method", "trigger.body: a command has no body",
			"baggage: a command carries no baggage header",
		}},
		"a trigger": {strings.Replace(least, `trigger: {url: "http://127.0.0.1:8080/"}`, "trigger: {url: 'ftp://x', command: [a], method: 'A B'}", 1), []string{
			"one of the two", "trigger.method: a command has no method", `trigger.method: expected a method, such as POST; got "A B"`,
		}},
		"otherwise": {least + `otherwise: {respond: 4x4, pass: "https://x/y"}` + "\n", []string{`expected a status from 200 to 999, or {status, headers, body}; got "4x4"`}},
		"otherwise of two": {least + `otherwise: {respond: 404, pass: "https://x/y"}` + "\n", []string{
			"otherwise: expected exactly one of respond, stub and pass; got 2", `otherwise.pass: pass: "https://x/y"; want http://host:port`,
		}},
		"files": {strings.Replace(least, `"127.0.0.1:8081"`, `"127.0.0.1:8081", succeed: {body: a, body-file: none.json}, otherwise: {stub: none}`, 1), []string{
			"succeed.body-file: a body and a file with one exclude each other", "cannot read none.json: no such file or directory; the name is looked for from",
			"otherwise.stub: cannot read the folder: no such file or directory",
		}},
		"no file": {strings.Replace(least, `url: "http://127.0.0.1:8080/"`, `url: "http://x/", body-file: .`, 1), []string{"trigger.body-file: expected a file; . is a d"}},
		"outcome": {least + "outcome: {success: [200, 600], error: {200: exhausted, 500: any}}\n", []string{"outcome.success[1]: expected a number from 0 to 599"}},
		"outcome twice": {least + "outcome: {success: [200], error: {200: exhausted, 500: any}}\n", []string{
			"outcome.error.200: 200 stands for success already", "outcome.error.500: expected one kind of error",
		}},
		"known failures": {least + "known-failures: [{contract: x}]\n", []string{"known-failures[0].reason", "known-failures[0].link"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(filepath.Join(t.TempDir(), "service.yaml"), []byte(test.text))
			var problems scenarios.Problems
			if !errors.As(err, &problems) || len(problems) != len(test.want) {
				t.Fatalf("want %d problems, got:\n%v", len(test.want), err)
			}
			for _, want := range test.want {
				if !strings.Contains(problems.Error(), want) {
					t.Errorf("want %q in:\n%v", want, problems)
				}
			}
		})
	}
}

func TestStubsSayAllThatIsWrong(t *testing.T) {
	t.Parallel()
	for want, files := range map[string]map[string]string{
		"expected a folder with .yaml files":                    {"s/x.json": "{}"},
		"[0]: expected respond":                                 {"s/x.yaml": "- {match: {path: /a}}\n"},
		`did you mean "match"?`:                                 {"s/x.yaml": "- {macth: {path: /a}, respond: 200}\n"},
		"a.yaml:1:32: [0].respond: stub 1: ":                    {"s/a.yaml": "- {match: {path: /a}, respond: {status: 99}}\n"},
		"[0].respond.body-file: cannot read none: no such file": {"s/x.yaml": "- {respond: {body-file: none}}\n"},
	} {
		_, err := readStubs(filepath.Join(folder(t, files), "s"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got: %v", want, err)
		}
	}
}

func TestAFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// FuzzParse looks for a profile that makes the loader panic, or gives an error
// that is no list of problems.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(least))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Parse(filepath.Join(dir, "service.yaml"), data)
		var problems scenarios.Problems
		if err != nil && (!errors.As(err, &problems) || problems.Error() == "") {
			t.Fatalf("an error without problems: %v", err)
		}
	})
}
