package command

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

var sampleValues = map[placeholder]string{
	url: "http://127.0.0.1:1/c/a/x?y=1", method: "PUT", attempts: "3", retries: "2", backoff: "1", backoffMS: "20",
	timeout: "2", timeoutMS: "1500", attemptTimeout: "1", attemptTimeoutMS: "300", bodyFile: "/tmp/body", output: "/tmp/output",
	caFile: "/tmp/ca.pem",
}

func TestArgumentsAreExpanded(t *testing.T) {
	t.Parallel()
	two := faultserver.Headers{{Name: "A", Value: "b c"}, {Name: "A", Value: "{url}; $(d)"}}
	for name, test := range map[string]struct {
		args    []string
		headers faultserver.Headers
		want    []string
		used    []placeholder
	}{
		"none":                {args: []string{"-s", ""}, want: []string{"-s", ""}},
		"alone":               {args: []string{"{url}"}, want: []string{"http://127.0.0.1:1/c/a/x?y=1"}, used: []placeholder{url}},
		"inside":              {args: []string{"--retry={retries}x{attempts}"}, want: []string{"--retry=2x3"}, used: []placeholder{attempts, retries}},
		"side by side":        {args: []string{"{retries}{retries}"}, want: []string{"22"}, used: []placeholder{retries}},
		"spaces stay":         {args: []string{"a {method} 'b'"}, want: []string{"a PUT 'b'"}, used: []placeholder{method}},
		"all times":           {args: []string{"{backoff}", "{timeout}", "{attempt-timeout}"}, want: []string{"1", "2", "1"}, used: []placeholder{attemptTimeout, backoff, timeout}},
		"all exact times":     {args: []string{"{backoff-ms}", "{timeout-ms}", "{attempt-timeout-ms}"}, want: []string{"20", "1500", "300"}, used: []placeholder{attemptTimeoutMS, backoffMS, timeoutMS}},
		"files":               {args: []string{"@{body-file}", "{output}"}, want: []string{"@/tmp/body", "/tmp/output"}, used: []placeholder{bodyFile, output}},
		"whom to trust":       {args: []string{"--cacert", "{ca-file}", "--ca={ca-file}"}, want: []string{"--cacert", "/tmp/ca.pem", "--ca=/tmp/ca.pem"}, used: []placeholder{caFile}},
		"headers":             {args: []string{"-s", "-H", "{header...}", "-v"}, headers: two, want: []string{"-s", "-H", "A: b c", "-H", "A: {url}; $(d)", "-v"}, used: []placeholder{header}},
		"no headers":          {args: []string{"-s", "-H", "{header...}", "-v"}, want: []string{"-s", "-v"}, used: []placeholder{header}},
		"headers, one sign":   {args: []string{"-H", "{header…}"}, headers: two[:1], want: []string{"-H", "A: b c"}, used: []placeholder{header}},
		"escaped":             {args: []string{"{{url}}", "awk '{{print}}'"}, want: []string{"{url}", "awk '{print}'"}},
		"a shell's":           {args: []string{"${url} ${x:-y}"}, want: []string{"${url} ${x:-y}"}},
		"curl's":              {args: []string{"%{http_code} %{url}\\n"}, want: []string{"%{http_code} %{url}\\n"}},
		"JSON":                {args: []string{`{"a":{"b":{retries}}}`}, want: []string{`{"a":{"b":2}}`}, used: []placeholder{retries}},
		"Go template":         {args: []string{"{{.URL}} {{json .}}"}, want: []string{"{{.URL}} {{json .}}"}},
		"quantifier":          {args: []string{"x{3} {} { url }"}, want: []string{"x{3} {} { url }"}},
		"variable":            {args: []string{"curl $FAULTSRV_URL"}, want: []string{"curl $FAULTSRV_URL"}, used: []placeholder{url}},
		"variables":           {args: []string{"x ${FAULTSRV_BACKOFF_MS} %FAULTSRV_HEADERS%"}, want: []string{"x ${FAULTSRV_BACKOFF_MS} %FAULTSRV_HEADERS%"}, used: []placeholder{backoffMS, header}},
		"the run's variable":  {args: []string{"$FAULTSRV_RUN"}, want: []string{"$FAULTSRV_RUN"}},
		"someone's variables": {args: []string{"$MY_FAULTSRV_URL"}, want: []string{"$MY_FAULTSRV_URL"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			used := uses{}
			parsed, wrong := parseArguments(test.args, used)
			if len(wrong) > 0 {
				t.Fatal(errors.Join(wrong...))
			}
			if got := expand(parsed, sampleValues, test.headers); !slices.Equal(got, test.want) {
				t.Errorf("expanded to %q, want %q", got, test.want)
			}
			var names []placeholder
			for name := range used {
				names = append(names, name)
			}
			slices.Sort(names)
			if !slices.Equal(names, test.used) {
				t.Errorf("uses %q, want %q", names, test.used)
			}
		})
	}
}

// A call that is not made over TLS has nobody to trust.
func TestWhomToTrustIsLeftOut(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"-s --cacert {ca-file} {url}": "-s http://x",
		"--ca={ca-file} {url}":        "http://x",
		"get {ca-file} {url}":         "get http://x",
		"{ca-file}":                   "",
		"-x http://y {ca-file}":       "-x http://y",
	} {
		parsed, wrong := parseArguments(strings.Fields(written), uses{})
		if len(wrong) > 0 {
			t.Fatal(errors.Join(wrong...))
		}
		if got := strings.Join(expand(parsed, map[placeholder]string{url: "http://x"}, nil), " "); got != want {
			t.Errorf("%s expanded to %q, want %q", written, got, want)
		}
	}
}

func TestArgumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"unknown":          {[]string{"--retry", "{retrys}"}, []string{`argument 2, "{retrys}": there is no placeholder {retrys}; did you mean {retries}? Write {{retrys}} for`}},
		"upper case":       {[]string{"{URL}"}, []string{"did you mean {url}?"}},
		"underscore":       {[]string{"{timeout_ms}"}, []string{"did you mean {timeout-ms}?"}},
		"without dots":     {[]string{"-H", "{header}"}, []string{"did you mean {header...}?"}},
		"two":              {[]string{"{urll}", "{methods}"}, []string{"{url}", "{method}"}},
		"headers inside":   {[]string{"-H", "X{header...}"}, []string{"argument of its own"}},
		"headers first":    {[]string{"{header...}"}, []string{"repeats the option before it"}},
		"headers behind":   {[]string{"get", "{header...}"}, []string{"repeats the option before it"}},
		"headers twice":    {[]string{"-H", "{header...}", "{header...}"}, []string{"repeats the option before it"}},
		"unknown variable": {[]string{"$FAULTSRV_RETRYS"}, []string{"there is no variable FAULTSRV_RETRYS; did you mean FAULTSRV_RETRIES?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, wrong := parseArguments(test.args, uses{})
			if len(wrong) != len(test.want) {
				t.Fatalf("%d mistakes %v, want %d", len(wrong), wrong, len(test.want))
			}
			for i, want := range test.want {
				if !strings.Contains(wrong[i].Error(), want) {
					t.Errorf("mistake %q, want it to say %q", wrong[i], want)
				}
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"{url}", "{{url}}", "%{url}", "{header...}", "{", "}}{{", "{urll}", "$FAULTSRV_X", "\x00{url\xff}"} {
		f.Add("-H", seed)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		used := uses{}
		parsed, wrong := parseArguments([]string{first, second}, used)
		args := expand(parsed, sampleValues, faultserver.Headers{{Name: "A", Value: "b"}})
		if len(wrong) > 0 {
			return
		}
		if len(used) == 0 && !strings.Contains(first+second, "{{") && !slices.Equal(args, []string{first, second}) {
			t.Errorf("%q uses nothing and became %q", []string{first, second}, args)
		}
	})
}
