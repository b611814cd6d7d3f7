package faultserver_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/faultserver"
)

func TestParseScriptReadsWhatItSays(t *testing.T) {
	half := 0.5
	two := 2 * time.Second
	for line, want := range map[string][]faultserver.Step{
		"503x2,reset,200": {
			{Act: respond(503), Times: 2}, {Act: faultserver.Reset{}}, {Act: respond(200)},
		},
		"stall:2s":                            {{Act: faultserver.Stall{For: two}}},
		"truncate@500":                        {{Act: faultserver.Truncate{After: 500}}},
		"401:challenge=basic:cookie=a=b:gzip": {{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 401, Challenge: faultserver.BasicChallenge, Cookie: "a=b", Gzip: true}}}},
		"429:retry-after=1":                   {{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 429, RetryAfter: &faultserver.RetryAfter{Value: "1"}}}}},
		"503:retry-after=":                    {{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503, RetryAfter: &faultserver.RetryAfter{}}}}},
		"503:retry-after-date=-2s:retry-after-form=asctime": {{Act: faultserver.Respond{Answer: faultserver.Answer{
			Status: 503, RetryAfter: &faultserver.RetryAfter{Date: pointerTo(-two), Form: faultserver.Asctime},
		}}}},
		"reset@request-body@64KiB:when=reused:commit=by-key": {{
			Act: faultserver.Reset{}, At: faultserver.Point{Phase: faultserver.RequestBody, N: 64 * faultserver.KiB},
			When: faultserver.When{Connection: faultserver.ReusedConnection}, Commit: faultserver.CommitByKey,
		}},
		"succeed:commit:delay=1m30s:optional:probability=0.5:forever": {{
			Act: faultserver.Succeed{}, Commit: faultserver.CommitAlways, Delay: faultserver.Delay{Fixed: 90 * time.Second},
			Optional: true, Probability: &half, Times: faultserver.Forever,
		}},
		"redirect:308:to=/a/b":       {{Act: faultserver.Redirect{Status: 308, To: "/a/b"}}},
		"stale:100ms:end=rst":        {{Act: faultserver.Stale{After: 100 * time.Millisecond, End: faultserver.EndRST}}},
		"close:half":                 {{Act: faultserver.Close{Half: true}}},
		"refuse:1s,accept-hang,pass": {{Act: faultserver.Refuse{For: time.Second}}, {Act: faultserver.AcceptHang{}}, {Act: faultserver.Untouched{}}},
		"respond:503":                {{Act: respond(503)}},
		"200:body=1KiB:seed=7:framing=chunked": {{Act: faultserver.Respond{Answer: faultserver.Answer{
			Status: 200, Body: faultserver.Body{Size: faultserver.KiB, Seed: 7}, Framing: faultserver.FramingChunked,
		}}}},
		"h2-goaway": {{Act: faultserver.Unbuilt{Name: "h2-goaway"}}},
	} {
		got, err := faultserver.ParseScript(line)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", line, got, err, want)
		}
	}
}

func respond(status int) faultserver.Respond {
	return faultserver.Respond{Answer: faultserver.Answer{Status: status}}
}

func TestParseScriptSaysWhatIsWrong(t *testing.T) {
	for line, want := range map[string]string{
		"":                         "it is empty",
		"503,,200":                 `step 2, "": "" is no act`,
		"503 x2":                   `' ' is no character of the notation`,
		"505x0":                    "want a number of attempts from 1",
		"503x02":                   "want a number of attempts from 1",
		"503x99999999999999999999": "want a number of attempts from 1",
		"199":                      `"199" is no act; want a status from 200 to 999 or one of accept-hang, bandwidth, capacity`,
		"rset":                     `"rset" is no act (did you mean "reset"?); want a status`,
		"503x2,resett":             `step 2, "resett": "resett" is no act (did you mean "reset"?); want a status`,
		"waltz":                    `"waltz" is no act; want a status`,
		"503:delya=1s":             `"delya" is no setting (did you mean "delay"?); want one of`,
		"reset@nowhere":            "want request-head",
		"reset@request-body":       "how many bytes",
		"reset@request-head@5":     "takes no size",
		"truncate@1kb":             "want a whole number",
		"stall:soon":               "is no number",
		"stall:2s:3s":              "for is given twice",
		"stall:for=2s:for=3s":      "for is given twice",
		"503:half":                 `respond has no half; want one of body, challenge, commit`,
		"503:color=red":            `"color" is no setting; want one of`,
		"succeed:5":                `"5" is no flag, and succeed has no value of its own`,
		"503x2:forever":            "already serves 2 attempts",
		"503:optional=yes":         "optional is a flag and takes no value",
		"503:probability=2":        "want a number from 0 to 1",
		"503:probability=NaN":      "want a number from 0 to 1",
		"503:when=old":             "want fresh or reused",
		"503:":                     "ends in a colon",
		"respond:99":               "want three digits",
		"503:…":                    "is no character of the notation; want letters, digits and",
		"h2-goaway:last=1":         `"last" is no setting`,
	} {
		_, err := faultserver.ParseScript(line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want it to say %q", line, err, want)
		}
	}
	_, err := faultserver.ParseScript("rset,200,stal")
	if err == nil || !strings.Contains(err.Error(), "step 1") || !strings.Contains(err.Error(), "step 3") {
		t.Errorf("%v; want every wrong step at once", err)
	}
}

// TestStepsAreWrittenAsTheyAreRead has what cannot be said in one line marked.
func TestStepsAreWrittenAsTheyAreRead(t *testing.T) {
	for want, step := range map[string]faultserver.Step{
		"503x2":                     {Act: respond(503), Times: 2},
		"503x1":                     {Act: respond(503), Times: 1},
		"respond":                   {Act: faultserver.Respond{}},
		"truncate@500:end=rst":      {Act: faultserver.Truncate{After: 500, End: faultserver.EndRST}},
		"truncate@0":                {Act: faultserver.Truncate{}},
		"stall@response-head:1m30s": {Act: faultserver.Stall{For: 90 * time.Second}, At: faultserver.Point{Phase: faultserver.ResponseHead}},
		"reset:status=503":          {Act: faultserver.Reset{Answer: faultserver.Answer{Status: 503}}},
		"503:…":                     {Act: respond(503), Note: "a note"},
		"200:…":                     {Act: faultserver.Respond{Answer: faultserver.Answer{Status: 200, Headers: faultserver.Headers{{Name: "A", Value: "b"}}}}},
		"succeed:…":                 {Act: faultserver.Succeed{}, Delay: faultserver.Delay{Uniform: &faultserver.UniformDelay{Max: 1}}},
		"redirect:to=/a?b:…":        {Act: faultserver.Redirect{To: "/a?b"}},
		"nothing:…":                 {},
	} {
		if got := step.String(); got != want {
			t.Errorf("%+v is written %q; want %q", step, got, want)
		}
	}
}

// TestStepsComeBackFromTheirText draws steps that one line can say.
func TestStepsComeBackFromTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := drawStep(t)
		text := step.String()
		back, err := faultserver.ParseScript(text)
		if err != nil || len(back) != 1 || !reflect.DeepEqual(back[0], step) {
			t.Fatalf("%+v is written %q and read as %+v, %v", step, text, back, err)
		}
	})
}

func drawStep(t *rapid.T) faultserver.Step {
	duration := rapid.Map(rapid.Int64Min(0), func(n int64) time.Duration { return time.Duration(n) })
	size := rapid.Map(rapid.Int64Min(0), func(n int64) faultserver.Size { return faultserver.Size(n) })
	answer := faultserver.Answer{
		Status:  rapid.SampledFrom([]int{0, 200, 301, 503, 999}).Draw(t, "status"),
		Body:    faultserver.Body{Size: size.Draw(t, "size"), Seed: rapid.Uint64().Draw(t, "seed")},
		Framing: rapid.SampledFrom([]faultserver.Framing{"", faultserver.FramingLength, faultserver.FramingChunked, faultserver.FramingClose}).Draw(t, "framing"),
	}
	if rapid.Bool().Draw(t, "retry-after") {
		answer.RetryAfter = &faultserver.RetryAfter{Value: rapid.StringMatching(`[A-Za-z0-9.-]*`).Draw(t, "value")}
	}
	ends := rapid.SampledFrom([]faultserver.EndKind{"", faultserver.EndFIN, faultserver.EndRST, faultserver.EndStall})
	step := faultserver.Step{
		Act: rapid.SampledFrom([]faultserver.Act{
			faultserver.Respond{Answer: answer}, faultserver.Succeed{}, faultserver.Reset{Answer: answer}, faultserver.Close{Answer: answer, Half: true},
			faultserver.Stall{For: duration.Draw(t, "for"), Answer: answer}, faultserver.Truncate{After: size.Draw(t, "after"), Answer: answer, End: ends.Draw(t, "end")},
			faultserver.Redirect{Status: answer.Status, To: "/a/b", RetryAfter: answer.RetryAfter}, faultserver.Stale{After: duration.Draw(t, "idle"), End: rapid.SampledFrom([]faultserver.EndKind{"", faultserver.EndFIN, faultserver.EndRST}).Draw(t, "stale end")},
			faultserver.Refuse{For: duration.Draw(t, "for")}, faultserver.AcceptHang{For: duration.Draw(t, "for")}, faultserver.Untouched{}, faultserver.Unbuilt{Name: "h2-data"},
			faultserver.Raw{Pieces: []faultserver.Piece{faultserver.Piece(rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "piece")), "a"}, Every: duration.Draw(t, "every"), End: ends.Draw(t, "end")},
			faultserver.Malformed{What: faultserver.TwoLengths, Answer: answer, Head: size.Draw(t, "head")},
			faultserver.Dribble{Answer: answer, Every: duration.Draw(t, "every"), Bytes: size.Draw(t, "bytes")},
			faultserver.Bandwidth{Rate: size.Draw(t, "rate"), Way: faultserver.Both, Answer: answer},
			faultserver.SlowRead{After: duration.Draw(t, "late"), Every: duration.Draw(t, "every"), Bytes: size.Draw(t, "bytes"), Buffer: size.Draw(t, "buffer"), Answer: answer},
			faultserver.Throttle{Rate: rapid.IntMin(1).Draw(t, "rate"), Per: duration.Draw(t, "per"), Burst: rapid.IntMin(0).Draw(t, "burst"), Status: 503, Says: faultserver.WaitRFC850},
			faultserver.Capacity{Rate: rapid.IntMin(1).Draw(t, "rate"), Queue: rapid.IntMin(0).Draw(t, "queue"), Full: faultserver.DelayWhenFull},
			faultserver.Outage{For: faultserver.Span{Time: 1 + duration.Draw(t, "for")/2}, After: faultserver.Span{Attempts: rapid.IntRange(0, 1e9).Draw(t, "after")}, With: faultserver.Fault{Act: faultserver.Reset{}, At: faultserver.Point{Phase: faultserver.RequestHead}}},
			faultserver.Flap{Up: faultserver.Span{Attempts: 3}, Down: faultserver.Span{Attempts: 2}, With: faultserver.Fault{Act: respond(500)}},
			faultserver.Ramp{Over: faultserver.Span{Attempts: 3}, From: pointerTo(rapid.Float64Range(0, 1).Draw(t, "from"))},
			faultserver.TLS{What: faultserver.TLSAlert, Alert: rapid.IntRange(0, 255).Draw(t, "alert"), Answer: answer},
			faultserver.ExpectContinue{Continue: faultserver.ContinueLate, After: duration.Draw(t, "late"), Answer: answer},
		}).Draw(t, "act"),
		When:     faultserver.When{Connection: rapid.SampledFrom([]faultserver.ConnectionKind{"", faultserver.FreshConnection, faultserver.ReusedConnection}).Draw(t, "when")},
		Delay:    faultserver.Delay{Fixed: duration.Draw(t, "delay")},
		Commit:   rapid.SampledFrom([]faultserver.Commit{"", faultserver.CommitAlways, faultserver.CommitByKey}).Draw(t, "commit"),
		Times:    rapid.IntRange(faultserver.Forever, 1000).Draw(t, "times"),
		Optional: rapid.Bool().Draw(t, "optional"),
	}
	if rapid.Bool().Draw(t, "drawn") {
		p := rapid.Float64Range(0, 1).Draw(t, "probability")
		step.Probability = &p
	}
	if _, fixed := step.Act.(faultserver.Truncate); !fixed {
		step.At = rapid.SampledFrom([]faultserver.Point{{}, {Phase: faultserver.RequestHead}, {Phase: faultserver.ResponseBody, N: size.Draw(t, "n")}}).Draw(t, "at")
	}
	return step
}

// TestTheGrammarNamesEverySetting keeps the published grammar whole.
func TestTheGrammarNamesEverySetting(t *testing.T) {
	_, err := faultserver.ParseScript("respond:x=1,stall:x=1,truncate:x=1,redirect:x=1,stale:x=1,close:x=1," +
		"raw:x=1,malformed:x=1,dribble:x=1,bandwidth:x=1,slow-read:x=1,expect-continue:x=1,throttle:x=1,capacity:x=1,outage:x=1,flap:x=1,ramp:x=1,tls:x=1")
	if err == nil {
		t.Fatal("an unknown setting was read")
	}
	words := strings.FieldsFunc(err.Error(), func(c rune) bool { return c == ' ' || c == ',' || c == '\n' })
	listing := false
	checked := map[string]bool{}
	for _, word := range words {
		switch {
		case word == "of":
			listing = true
		case word == "script:":
			listing = false
		case listing:
			checked[word] = true
			if !strings.Contains(faultserver.Grammar(), `"`+word+`"`) {
				t.Errorf("the grammar lacks %q", word)
			}
		}
	}
	if len(checked) < 43 {
		t.Errorf("only %d settings were found in %v", len(checked), err)
	}
}

func FuzzParseScript(f *testing.F) {
	for _, seed := range []string{"503x2,reset,200", "stall:2s", "truncate@500:cut=between-chunks", "429:retry-after=", "reset@request-body@64KiB:when=reused", "redirect:308:to=/a", "x1", "h2-data", "503:…", "raw:SFRUUA.LzE:end=keep", "bandwidth:4KiB:way=both:gzip"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		steps, err := faultserver.ParseScript(line)
		if err != nil {
			return
		}
		_ = faultserver.ValidateScript(steps)
		var texts []string
		for _, step := range steps {
			texts = append(texts, step.String())
		}
		back, err := faultserver.ParseScript(strings.Join(texts, ","))
		if err != nil || !reflect.DeepEqual(back, steps) {
			t.Errorf("%q is written %q and read as %+v, %v; want %+v", line, texts, back, err, steps)
		}
	})
}

func TestScripts(t *testing.T) {
	for _, bad := range []struct {
		step faultserver.Step
		want string
	}{
		{faultserver.Step{}, "has no act"},
		{faultserver.Step{Act: &faultserver.Reset{}}, "its act is a pointer"},
		{faultserver.Step{Act: (*faultserver.Reset)(nil)}, "its act is a pointer"},
		{faultserver.Step{Act: faultserver.Unbuilt{Name: "h2-goaway"}}, "h2-goaway: not built yet"},
		{faultserver.Step{Act: faultserver.Unbuilt{Name: "dance"}}, "dance: is no act of the vocabulary"},
		{faultserver.Step{Act: faultserver.Refuse{}}, "belongs in connections"},
		{faultserver.Step{Act: faultserver.AcceptHang{}}, "belongs in connections"},
		{faultserver.Step{Act: faultserver.Untouched{}, At: faultserver.Point{Phase: faultserver.RequestEnd}}, "cannot strike there; want request-head"},
		{faultserver.Step{Act: faultserver.Reset{}, At: faultserver.Point{Phase: faultserver.Accept}}, "cannot strike there; want request-end"},
		{faultserver.Step{Act: faultserver.Succeed{}, At: faultserver.Point{Phase: faultserver.ResponseHead}}, "cannot strike there; want request-end, request-head, request-body"},
		{faultserver.Step{Act: faultserver.Truncate{After: 1}, At: faultserver.Point{Phase: faultserver.RequestEnd}}, "a point of its own"},
		{faultserver.Step{Act: faultserver.Reset{}, At: faultserver.Point{Phase: faultserver.RequestEnd, N: 5}}, "have a number of bytes"},
		{faultserver.Step{Act: faultserver.Reset{}, At: faultserver.Point{Phase: faultserver.TLSHandshake}}, "it cannot strike there"},
		{faultserver.Step{Act: faultserver.Reset{Answer: faultserver.Answer{Status: 200}}}, "an answer is not begun at request-end"},
		{faultserver.Step{Act: faultserver.Reset{Answer: faultserver.Answer{Body: faultserver.Body{Size: 10}}}, At: faultserver.Point{Phase: faultserver.ResponseBody, N: 11}}, "beyond the body's 10 bytes"},
		{faultserver.Step{Act: faultserver.Reset{Answer: faultserver.Answer{Status: 204}}, At: faultserver.Point{Phase: faultserver.ResponseBody, N: 11}}, "status 204 has no body"},
		{faultserver.Step{Act: faultserver.Truncate{After: 10, Answer: faultserver.Answer{Body: faultserver.Body{Text: "0123456789"}}}}, "cuts nothing off a body of 10 bytes"},
		{faultserver.Step{Act: faultserver.Truncate{After: -1}}, "want 0 or more"},
		{faultserver.Step{Act: faultserver.Truncate{After: 1, Cut: faultserver.CutInsideChunk}}, "needs an answer with framing: chunked"},
		{faultserver.Step{Act: faultserver.Truncate{After: 1, Answer: faultserver.Answer{Framing: faultserver.FramingClose}}}, "is complete when FIN comes"},
		{faultserver.Step{Act: faultserver.Truncate{After: 1, End: "bang"}}, "want fin, rst or stall"},
		{faultserver.Step{Act: faultserver.Truncate{Cut: faultserver.CutBeforeLastCRLF, After: 1, Answer: faultserver.Answer{Framing: faultserver.FramingChunked}}}, "the whole body has been sent"},
		{faultserver.Step{Act: faultserver.Stale{Answer: faultserver.Answer{Framing: faultserver.FramingClose}}}, "must promise keep-alive"},
		{faultserver.Step{Act: faultserver.Stale{After: -1, End: faultserver.EndStall}}, "want fin or rst"},
		{faultserver.Step{Act: faultserver.Stall{For: -1}}, "is negative"},
		{faultserver.Step{Act: faultserver.Redirect{Status: 304}}, "no redirect that a client follows"},
		{faultserver.Step{Act: faultserver.Redirect{To: "http://x"}}, "is no path"},
		{faultserver.Step{Act: faultserver.Redirect{To: "/a\r\nB: c"}}, "is no path"},
		{faultserver.Step{Act: respond(101)}, "switching protocols"},
		{faultserver.Step{Act: respond(103)}, "is not final"},
		{faultserver.Step{Act: respond(1000)}, "three digits"},
		{answering(faultserver.Answer{Headers: faultserver.Headers{{Name: "A b", Value: "c"}}}), "no header name"},
		{answering(faultserver.Answer{Headers: faultserver.Headers{{Name: "A", Value: "b\r\nC: d"}}}), "control characters"},
		{answering(faultserver.Answer{Headers: faultserver.Headers{{Name: "content-length", Value: "5"}}}), "lies about its length"},
		{answering(faultserver.Answer{Headers: faultserver.Headers{{Name: "Transfer-Encoding", Value: "gzip"}}}), "say framing: chunked"},
		{answering(faultserver.Answer{Trailers: faultserver.Headers{{Name: "A", Value: "b"}}}), "trailers need framing: chunked"},
		{answering(faultserver.Answer{Framing: "guess"}), "want length, chunked or close"},
		{answering(faultserver.Answer{Informational: []faultserver.Informational{{Status: 200}}}), "informational status 200"},
		{answering(faultserver.Answer{Body: faultserver.Body{Text: "a", Size: 1}}), "exclude each other"},
		{answering(faultserver.Answer{Body: faultserver.Body{Size: -1}}), "want 0 or more"},
		{answering(faultserver.Answer{Body: faultserver.Body{Size: 1, Stream: true}}), "for requests only"},
		{answering(faultserver.Answer{RetryAfter: &faultserver.RetryAfter{Value: "1\r\n"}}), "control characters"},
		{answering(faultserver.Answer{RetryAfter: &faultserver.RetryAfter{Value: "1", Date: pointerTo(time.Second)}}), "keep one"},
		{answering(faultserver.Answer{RetryAfter: &faultserver.RetryAfter{Date: pointerTo(time.Millisecond)}}), "want whole seconds"},
		{answering(faultserver.Answer{RetryAfter: &faultserver.RetryAfter{Form: faultserver.Asctime}}), "a form without a date"},
		{answering(faultserver.Answer{RetryAfter: &faultserver.RetryAfter{Date: pointerTo(60 * 365 * 24 * time.Hour), Form: faultserver.RFC850}}), "two digits"},
		{faultserver.Step{Act: faultserver.Succeed{}, Times: -2}, "want a number of attempts or Forever"},
		{faultserver.Step{Act: faultserver.Succeed{}, Probability: pointerTo(1.5)}, "want a number from 0 to 1"},
		{faultserver.Step{Act: faultserver.Succeed{}, When: faultserver.When{Connection: "warm"}}, "want fresh or reused"},
		{faultserver.Step{Act: faultserver.Succeed{}, Commit: "maybe"}, "want true or by-key"},
		{faultserver.Step{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Fixed: -1}}, "want none below 0"},
		{faultserver.Step{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Fixed: 1, Uniform: &faultserver.UniformDelay{}}}, "2 kinds at once"},
		{faultserver.Step{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Fixed: 1, Max: 1}}, "max bounds until"},
		{faultserver.Step{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Until: &faultserver.Moment{Event: "never"}}}, "want started"},
	} {
		err := faultserver.ValidateScript([]faultserver.Step{bad.step})
		if err == nil || !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), "script: step 1") {
			t.Errorf("%+v: %v; want it to say %q", bad.step, err, bad.want)
		}
	}
}

func answering(a faultserver.Answer) faultserver.Step {
	return faultserver.Step{Act: faultserver.Respond{Answer: a}}
}

func TestValidateSaysAllAtOnce(t *testing.T) {
	err := faultserver.Config{
		ID:     "a b",
		Script: script("503:forever,h2-goaway"),
		Calls: []faultserver.CallConfig{
			{Token: "a/b"}, {Token: "c"}, {Token: "c", Script: []faultserver.Step{{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Until: &faultserver.Moment{Call: "nobody"}}}}},
		},
		Connections: append(script("503,reset:when=fresh,close:commit,refuse:delay=1s,stall@request-head"), faultserver.Step{}),
		AfterScript: "dance",
		MaxAttempts: -1,
		Success:     faultserver.Answer{Status: 99},
		Otherwise:   faultserver.Answer{Framing: "guess"},
	}.Validate()
	for _, want := range []string{
		`id "a b"`, "no attempt would reach step 2", "h2-goaway: not built yet", `token "a/b"`, `token "c" is taken`, `no call is named "nobody"`,
		"connections: step 1, respond: strikes at no connection", "every connection is fresh", "no request has come", "a window has neither",
		"a connection script strikes at accept", "connections: step 6: has no act", `after-script: "dance"`, "max attempts -1", "success: status 99", "otherwise: framing",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q:\n%v", want, err)
		}
	}
	if !errors.Is(err, faultserver.ErrUnbuilt) {
		t.Error("it does not match ErrUnbuilt")
	}
	if err := (faultserver.Config{AfterScript: faultserver.LoopAfterScript}).Validate(); err == nil || !strings.Contains(err.Error(), "no step to loop") {
		t.Errorf("%v; want an empty loop refused", err)
	}
	if err := (faultserver.Config{}).Validate(); err != nil {
		t.Errorf("the zero config is refused: %v", err)
	}
	for _, name := range faultserver.UnbuiltActs {
		if err := faultserver.ValidateScript(script(name)); !errors.Is(err, faultserver.ErrUnbuilt) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v; want it named as not built", name, err)
		}
	}
	if _, err := faultserver.Open(faultserver.Config{Script: script("h2-reset")}); !errors.Is(err, faultserver.ErrUnbuilt) {
		t.Errorf("opened with an act that is not built: %v", err)
	}
}

func ExampleStep_String() {
	steps, err := faultserver.ParseScript("503x2:retry-after=1,reset,stall@response-body@64KiB:2s")
	fmt.Println(steps, err)
	// Output: [503x2:retry-after=1 reset stall@response-body@64KiB:2s] <nil>
}
