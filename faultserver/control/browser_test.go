package control_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

// browserWait bounds a visit: a browser starts in about a second, and on a
// machine whose cores are all busy in up to twelve.
const browserWait = time.Minute

// A visit is the live page in a real browser, and what a good page never causes.
type visit struct {
	t   *testing.T
	ctx context.Context
	api *control.Server

	mu      sync.Mutex
	trouble []string
}

// visited opens a path of a new API, in a screen of so many pixels, with one
// session, whose base URL is returned.
func visited(t *testing.T, path string, width, height int64, before ...chromedp.Action) (*visit, string) {
	t.Helper()
	host, err := faultserver.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	v := &visit{t: t}
	if v.api, err = control.Listen("127.0.0.1:0", control.Options{Host: host}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.api.Close(context.Background()) })
	session, err := client.New(v.api.URL()).Create(t.Context(), client.NewSession{ID: "demo", Script: "503,stall,200"})
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, stop := context.WithTimeout(t.Context(), browserWait)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	v.ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	chromedp.ListenTarget(v.ctx, v.listen)
	v.do(network.Enable(), log.Enable(), cdppage.Enable(), chromedp.EmulateViewport(width, height))
	v.do(before...)
	v.do(chromedp.Navigate(v.api.URL() + path))
	return v, session.URL
}

// browser is the path of Chromium. In CI its absence is a failure: a test that
// silently did not run proves nothing.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const message = "no browser to open the page in: expected chromium or google-chrome; on Debian: apt-get install chromium"
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

func (v *visit) listen(event any) {
	trouble := ""
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		trouble = "the console says something: " + string(event.Type)
	case *runtime.EventExceptionThrown:
		trouble = "a script fails: " + event.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		trouble = fmt.Sprintf("the browser complains: %s (%s)", event.Entry.Text, event.Entry.Level)
	case *network.EventRequestWillBeSent:
		if url := event.Request.URL; !strings.HasPrefix(url, v.api.URL()+"/") && !strings.HasPrefix(url, "data:") {
			trouble = "a request to elsewhere: " + url
		}
	case *cdppage.EventJavascriptDialogOpening:
		trouble = "a dialog opens: " + event.Message
	}
	if trouble != "" {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.trouble = append(v.trouble, trouble)
	}
}

func (v *visit) do(actions ...chromedp.Action) {
	v.t.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// comes waits until a script in the page finds something true. The page itself
// looks, each time that it is drawn: chromedp.Poll names the page's context by
// a number that may be the last page's.
func (v *visit) comes(what, script string) {
	v.t.Helper()
	waiting := fmt.Sprintf("new Promise(found => { const look = () => { if (%s) found(true); else requestAnimationFrame(look); }; look(); })", script)
	awaited := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	if err := chromedp.Run(v.ctx, chromedp.Evaluate(waiting, nil, awaited)); err != nil {
		var text string
		_ = chromedp.Run(v.ctx, chromedp.Text("body", &text, chromedp.ByQuery))
		v.t.Fatalf("%s: %v; the page says:\n%s", what, err, text)
	}
}

// quietly ends a visit: nothing that a good page never causes has happened.
func (v *visit) quietly() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, trouble := range v.trouble {
		v.t.Error(trouble)
	}
}

// hostile is a target that is markup, and that turns a line around.
const hostile = "/<img/src=x/onerror=alert(1)></script><script>alert(2)</script>\u202egnp.exe"

// say makes a request as it is given, and leaves the connection open.
func say(t *testing.T, base, target string) {
	t.Helper()
	address, path, _ := strings.Cut(strings.TrimPrefix(base, "http://"), "/")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "GET /%s%s HTTP/1.1\r\nHost: x\r\n\r\n", path, target); err != nil {
		t.Fatal(err)
	}
}

const shows = `document.getElementById("attempt-%d")?.lastElementChild.innerText === %q`

func TestABrowserShowsAttemptsLive(t *testing.T) {
	t.Parallel()
	v, url := visited(t, "/sessions/demo", 1280, 900)
	v.comes("the page is live", `document.getElementById("live").innerText.endsWith("live")`)
	say(t, url, hostile)
	v.comes("the attempt that was answered", fmt.Sprintf(shows, 1, "answer 503"))
	say(t, url, "/silent")
	v.comes("the attempt in progress", fmt.Sprintf(shows, 2, "in progress"))
	v.comes("the target as text", `document.getElementById("attempt-1").innerText.includes("<img/src=x/onerror=alert(1)></script>") && document.getElementById("attempt-1").innerText.includes("\\u{202e}gnp")`)
	v.comes("no element of the target's", `document.images.length === 0 && document.scripts.length === 1`)
	v.comes("the steps as they are served", `document.querySelector(".steps").innerText.replace(/\s+/g, " ").includes("stall 1×")`)
	v.comes("the pause between them", `document.getElementById("attempt-2").children[2].innerText.endsWith("s")`)
	if err := client.New(v.api.URL()).Delete(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	v.comes("its end", `document.getElementById("live").innerText.startsWith("ended: the session has ended")`)
	v.quietly()
}

func TestABrowserListsSessionsLive(t *testing.T) {
	t.Parallel()
	v, url := visited(t, "/", 1280, 900)
	say(t, url, "/")
	v.comes("an attempt is counted", `document.querySelector("#rows td.n").innerText === "1"`)
	if _, err := client.New(v.api.URL()).Create(t.Context(), client.NewSession{ID: "later", Script: "200"}); err != nil {
		t.Fatal(err)
	}
	v.comes("a session that came later", `[...document.querySelectorAll("#rows a")].some((a) => a.pathname === "/sessions/later")`)
	v.quietly()
}

func TestTheLivePageNeedsNoScript(t *testing.T) {
	t.Parallel()
	v, url := visited(t, "/", 1280, 900, emulation.SetScriptExecutionDisabled(true))
	say(t, url, hostile)
	if _, err := client.New(v.api.URL()).Journal(t.Context(), "demo", client.Attempts(1), client.Quiet()); err != nil {
		t.Fatal(err)
	}
	v.do(chromedp.Click(`a[href="/sessions/demo"]`, chromedp.ByQuery), chromedp.WaitVisible("#attempt-1", chromedp.ByQuery))
	var text string
	v.do(chromedp.Text("#attempt-1", &text, chromedp.ByQuery))
	for _, want := range []string{"<img/src=x/onerror=alert(1)>", `\u{202e}gnp.exe`, "answer 503"} {
		if !strings.Contains(text, want) {
			t.Errorf("the row %q does not say %q", text, want)
		}
	}
	v.quietly()
}

func TestTheLivePageFitsAPhoneByDayAndNight(t *testing.T) {
	t.Parallel()
	v, url := visited(t, "/", 390, 844)
	say(t, url, "/"+strings.Repeat("long", 100))
	paper := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		for _, path := range []string{"/", "/sessions/demo"} {
			v.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				chromedp.Navigate(v.api.URL()+path))
			v.comes("no sideways scrolling on "+path, `document.documentElement.scrollWidth <= 390 && document.getElementById("rows").children.length === 1`)
			var color string
			v.do(chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &color))
			paper[color] = true
		}
	}
	if len(paper) != 2 {
		t.Errorf("light and dark pages have the backgrounds %v", paper)
	}
	v.quietly()
}

func TestTheLivePageAsksForTheToken(t *testing.T) {
	t.Parallel()
	host, err := faultserver.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	const token = "0123456789abcdef"
	api, err := control.Listen("127.0.0.1:0", control.Options{Host: host, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close(context.Background()) })
	for _, given := range []struct {
		method, path, password string
		status                 int
	}{
		{"GET", "/", "", 401},
		{"GET", "/", "0123456789abcdeg", 401},
		{"GET", "/", token, 200},
		{"GET", "/v1/sessions", token, 200},
		{"GET", "/sessions/none", token, 404},
		{"POST", "/v1/sessions", token, 401},
		{"DELETE", "/v1/sessions/none", token, 401},
	} {
		request, err := http.NewRequestWithContext(t.Context(), given.method, api.URL()+given.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if given.password != "" {
			request.SetBasicAuth("anybody", given.password)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != given.status {
			t.Errorf("%s %s with the password %q: status %d, want %d", given.method, given.path, given.password, response.StatusCode, given.status)
		}
	}
}
