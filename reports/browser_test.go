package reports

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
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
)

// browserWait bounds a visit: a browser starts in about a second, and on a
// machine whose cores are all busy in up to twelve.
const browserWait = time.Minute

// A visit is a page that a real browser shows, and what the browser did
// besides: it writes down whatever a good page never causes.
type visit struct {
	t   *testing.T
	ctx context.Context
	url string

	mu      sync.Mutex
	trouble []string
}

// visited opens the page of a run in a screen of so many pixels.
func visited(t *testing.T, run Run, width, height int64, before ...chromedp.Action) *visit {
	t.Helper()
	return visitedPage(t, rendered(t, HTML, run), width, height, before...)
}

// visitedPage opens a page; what else it asks for is trouble.
func visitedPage(t *testing.T, content []byte, width, height int64, before ...chromedp.Action) *visit {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	v := &visit{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/report.html" {
			v.note("the page asks for " + req.URL.Path)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	v.url = server.URL + "/report.html"

	ctx, stop := context.WithTimeout(t.Context(), browserWait)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	v.ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	chromedp.ListenTarget(v.ctx, v.listen)
	v.do(network.Enable(), log.Enable(), cdppage.Enable(), chromedp.EmulateViewport(width, height))
	v.do(before...)
	v.do(chromedp.Navigate(v.url))
	return v
}

// browser is the path of Chromium. In CI its absence is a failure: a test that
// silently did not run proves nothing.
func browser(t *testing.T) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	message := fmt.Sprintf("no browser to open the page in: expected one of %s; on Debian: apt-get install chromium", strings.Join(names, ", "))
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

func (v *visit) note(trouble string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.trouble = append(v.trouble, trouble)
}

func (v *visit) listen(event any) {
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		v.note("the console says something: " + string(event.Type))
	case *runtime.EventExceptionThrown:
		v.note("a script fails: " + event.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		v.note(fmt.Sprintf("the browser complains: %s (%s)", event.Entry.Text, event.Entry.Level))
	case *network.EventRequestWillBeSent:
		if url := event.Request.URL; !strings.HasPrefix(url, v.url) && !strings.HasPrefix(url, "data:") && v.url != "" {
			v.note("a request to elsewhere: " + url)
		}
	case *cdppage.EventJavascriptDialogOpening:
		v.note("a dialog opens: " + event.Message)
	}
}

func (v *visit) do(actions ...chromedp.Action) {
	v.t.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// tells is what a script in the page finds.
func tells[T any](v *visit, script string) T {
	v.t.Helper()
	var found T
	v.do(chromedp.Evaluate(script, &found))
	return found
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

// failing is the contract of the sample that fails.
const failing = `document.getElementById("body.replay-after-503")`

func TestABrowserShowsTheTimeline(t *testing.T) {
	v := visited(t, sampleRun(), 1280, 900)
	v.do(chromedp.WaitVisible(`[id="body.replay-after-503"] svg[role=img]`, chromedp.ByQuery))
	type rectangle struct{ X, Width, Height, Inside float64 }
	bars := tells[[]rectangle](v, `[...`+failing+`.querySelectorAll("figure svg[role=img] .bar")].map((bar) => {
		const b = bar.getBoundingClientRect(), all = bar.ownerSVGElement.getBoundingClientRect();
		const inside = b.left >= all.left && b.right <= all.right && b.top >= all.top && b.bottom <= all.bottom;
		return {X: b.left, Width: b.width, Height: b.height, Inside: inside ? 1 : 0};
	})`)
	if len(bars) != 2 {
		t.Fatalf("expected a bar for each of 2 attempts, got %+v", bars)
	}
	for _, bar := range bars {
		if bar.Width < 2 || bar.Height < 8 || bar.Inside == 0 {
			t.Errorf("a bar that cannot be seen: %+v", bar)
		}
	}
	if bars[1].X-bars[0].X < 500 {
		t.Errorf("the retry came 42 of 49 ms later, and is drawn %v pixels further right", bars[1].X-bars[0].X)
	}
	fill := tells[[]string](v, `[...`+failing+`.querySelectorAll("figure svg[role=img] .bar")].map((bar) => getComputedStyle(bar).fill)`)
	if fill[0] == fill[1] || strings.Contains(fill[0], "rgb(0, 0, 0)") {
		t.Errorf("a 503 and a 200 have the colors %v", fill)
	}
	v.quietly()
}

func TestABrowserFindsContracts(t *testing.T) {
	v := visited(t, sampleRun(), 1280, 900)
	shown := func() int {
		return tells[int](v, `[...document.querySelectorAll("details.contract")].filter((c) => c.offsetParent !== null).length`)
	}
	if got := shown(); got != 8 {
		t.Errorf("expected all 8 contracts, got %d", got)
	}
	v.do(chromedp.SendKeys("#search", "retry-after", chromedp.ByQuery))
	if got := shown(); got != 1 {
		t.Errorf("expected the one contract about Retry-After, got %d", got)
	}
	// A link to a contract that is filtered out shows it, and opens it.
	v.do(chromedp.Click(`.attention a[href="#connection.reset-is-retried"]`, chromedp.ByQuery),
		chromedp.WaitVisible(`[id="connection.reset-is-retried"][open] .checks`, chromedp.ByQuery))
	v.do(chromedp.Click("#show-passed-over", chromedp.ByQuery))
	if got := shown(); got != 6 {
		t.Errorf("expected the 6 contracts that were judged or observed, got %d", got)
	}
	v.do(chromedp.Click("#close", chromedp.ByQuery))
	if got := tells[int](v, `document.querySelectorAll("details.contract[open]").length`); got != 0 {
		t.Errorf("expected all contracts closed, got %d open", got)
	}
	v.quietly()
}

func TestThePageNeedsNoScript(t *testing.T) {
	v := visited(t, sampleRun(), 1280, 900, emulation.SetScriptExecutionDisabled(true))
	v.do(
		chromedp.WaitVisible(`[id="body.replay-after-503"] svg[role=img]`, chromedp.ByQuery),
		chromedp.WaitNotVisible("#tools", chromedp.ByQuery),
		chromedp.Click("#show-breaks", chromedp.ByQuery),
		chromedp.WaitNotVisible(`[id="body.replay-after-503"]`, chromedp.ByQuery),
		chromedp.WaitVisible(`[id="attempts.exact-count"]`, chromedp.ByQuery),
	)
	v.quietly()
}

func TestThePageFitsAPhone(t *testing.T) {
	for name, run := range map[string]Run{"sample": sampleRun(), "crowd": crowd(), "hostile": hostileRun(strings.Repeat("wide", 100))} {
		v := visited(t, run, 360, 740)
		v.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`, nil))
		if wide := tells[int](v, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%s: the page is %d pixels wide on a screen of 360", name, wide)
		}
		v.quietly()
	}
}

// The darkest and the lightest must differ by what WCAG 2.2 (1.4.3) asks of
// text, 4.5 to 1, in both schemes.
func TestTextCanBeReadInTheLightAndInTheDark(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		v := visited(t, sampleRun(), 1280, 900, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		v.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`, nil))
		pale := tells[[]string](v, contrastScript)
		if len(pale) > 0 {
			t.Errorf("%s: too pale: %q", scheme, pale[:min(5, len(pale))])
		}
		background := tells[string](v, `getComputedStyle(document.body).backgroundColor`)
		if dark := background != "rgb(255, 255, 255)"; dark != (scheme == "dark") {
			t.Errorf("%s: the background is %s", scheme, background)
		}
		v.quietly()
	}
}

// contrastScript lists the texts whose contrast with what is behind them is
// below 4.5.
const contrastScript = `(() => {
	const parts = (color) => color.match(/[\d.]+/g).map(Number);
	const light = (color) => {
		const [r, g, b] = parts(color).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (element) => {
		for (let e = element; e; e = e.parentElement) {
			const color = getComputedStyle(e).backgroundColor;
			if ((parts(color)[3] ?? 1) === 1) return color;
		}
		return "rgb(255, 255, 255)";
	};
	const pale = [];
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const element = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, title, desc")) continue;
		const style = getComputedStyle(element);
		const [a, b] = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))];
		if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) pale.push(element.className.baseVal ?? element.className + ": " + texts.currentNode.data);
	}
	return pale;
})()`

// What a client says does nothing in a real browser either.
func TestABrowserTakesHostileTextsForText(t *testing.T) {
	run := hostileRun(hostileTexts[0])
	for _, text := range hostileTexts[1:] {
		run.Results = append(run.Results, hostileRun(text).Results...)
	}
	v := visited(t, run, 1280, 900)
	v.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`, nil))
	if got := tells[int](v, `document.querySelectorAll("details.contract").length`); got != len(hostileTexts) {
		t.Errorf("expected %d contracts, got %d", len(hostileTexts), got)
	}
	v.quietly()
}
