package faultserver_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/faultserver"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]faultserver.Size{
		"0": 0, "500": 500, "500B": 500, "64KiB": 64 << 10, "8MiB": 8 << 20, "1GiB": 1 << 30, "9223372036854775807": math.MaxInt64, "8589934591GiB": 8589934591 << 30,
	} {
		if got, err := faultserver.ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "want a whole number", "KiB": "want a whole number", "010": "want a whole number", "-1": "want a whole number", "+1": "want a whole number", "1.5KiB": "want a whole number",
		"64kb": "want a whole number", "64 KiB": "want a whole number", "1KB": "want a whole number", "٣": "want a whole number",
		"9223372036854775808": "too large", "8589934592GiB": "too large",
	} {
		if got, err := faultserver.ParseSize(text); err == nil || !strings.Contains(err.Error(), want) || got != 0 {
			t.Errorf("%q: %d, %v; want it refused with %q", text, got, err, want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "40ms": 40 * time.Millisecond, "1.5s": 1500 * time.Millisecond, "1m30s": 90 * time.Second, "1h0m0.5s": time.Hour + 500*time.Millisecond,
		"0.25us": 250 * time.Nanosecond, "7ns": 7, "9223372036854775807ns": math.MaxInt64, "2562047h47m16.854775807s": math.MaxInt64, "1.50s": 1500 * time.Millisecond,
	} {
		if got, err := faultserver.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "it is empty", "5": "is no unit", "010s": "is no number", "-1s": "cannot be negative", "+1s": "is no number", "1.s": "is no number", ".5s": "is no number", "s": "is no number",
		"1 s": "is no unit", "1d": "is no unit", "1s1m": "is no unit", "1s1s": "is no unit", "1.2.3s": "is no number", "1µs": "is no unit", "1e3s": "is no unit",
		"0.5ns": "finer than a nanosecond", "0.0000000001s": "finer than a nanosecond", "0.12345678901234567h": "finer than a nanosecond",
		"9223372036854775808ns": "too long", "2562048h": "too long", "2562047h48m": "too long", "2562047.9h": "too long",
	} {
		if got, err := faultserver.ParseDuration(text); err == nil || !strings.Contains(err.Error(), want) || got != 0 {
			t.Errorf("%q: %v, %v; want it refused with %q", text, got, err, want)
		}
	}
	for text, want := range map[string]time.Duration{"+2s": 2 * time.Second, "-1m": -time.Minute, "2s": 2 * time.Second, "-0": 0} {
		if got, err := faultserver.ParseOffset(text); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"--1s", "+-1s", "+", ""} {
		if got, err := faultserver.ParseOffset(text); err == nil {
			t.Errorf("%q: %v; want it refused", text, got)
		}
	}
}

func TestParsePoint(t *testing.T) {
	for text, want := range map[string]faultserver.Point{
		"request-head": {Phase: faultserver.RequestHead}, "request-body@64KiB": {Phase: faultserver.RequestBody, N: 64 << 10}, "accept": {Phase: faultserver.Accept},
		"response-body@0": {Phase: faultserver.ResponseBody}, "tls-handshake": {Phase: faultserver.TLSHandshake},
	} {
		got, err := faultserver.ParsePoint(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "want request-head", "head": "want request-head", "request-body": "how many bytes", "request-end@1": "takes no size", "response-body@": "want a whole number", "request-body@1@2": "want a whole number",
	} {
		if got, err := faultserver.ParsePoint(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want it refused with %q", text, got, err, want)
		}
	}
}

func TestScalarsAreTextInJSON(t *testing.T) {
	type document struct {
		Size  faultserver.Size
		At    faultserver.Point
		Empty faultserver.Point
	}
	in := document{64 * faultserver.KiB, faultserver.Point{Phase: faultserver.ResponseBody, N: 5}, faultserver.Point{}}
	content, err := json.Marshal(in)
	if err != nil || string(content) != `{"Size":"64KiB","At":"response-body@5","Empty":""}` {
		t.Fatalf("%s, %v", content, err)
	}
	var out document
	if err := json.Unmarshal(content, &out); err != nil || out != in {
		t.Errorf("%+v, %v; want %+v", out, err, in)
	}
	if err := json.Unmarshal([]byte(`{"Size":"1kb"}`), &out); err == nil {
		t.Error("1kb was read as a size")
	}
}

func TestScalarsComeBackFromTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := faultserver.Size(rapid.Int64Min(0).Draw(t, "size"))
		if back, err := faultserver.ParseSize(size.String()); err != nil || back != size {
			t.Fatalf("size %d is written %s and read as %d, %v", int64(size), size, int64(back), err)
		}
		offset := time.Duration(rapid.Int64Min(math.MinInt64+1).Draw(t, "offset"))
		if back, err := faultserver.ParseOffset(faultserver.FormatDuration(offset)); err != nil || back != offset {
			t.Fatalf("offset %v is written %s and read as %v, %v", offset, faultserver.FormatDuration(offset), back, err)
		}
	})
}

func TestBody(t *testing.T) {
	drawn := faultserver.Body{Size: 100_000, Seed: 3}
	again := faultserver.Body{Size: 100_000, Seed: 3}
	if string(drawn.Bytes()) != string(again.Bytes()) || len(drawn.Bytes()) != 100_000 || drawn.Len() != 100_000 {
		t.Error("a drawn body is not the same each time")
	}
	other := faultserver.Body{Size: 100_000, Seed: 4}
	if other.SHA256() == drawn.SHA256() {
		t.Error("another seed draws the same body")
	}
	shorter := faultserver.Body{Size: 99, Seed: 3}
	if shorter.SHA256() != drawn.PrefixSHA256(99) || drawn.PrefixSHA256(1<<40) != drawn.SHA256() {
		t.Error("a prefix has another hash than the same bytes alone")
	}
	// The hash of nothing is a known one.
	const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if empty := (faultserver.Body{}); empty.SHA256() != nothing || empty.Len() != 0 {
		t.Errorf("no body has the hash %s", empty.SHA256())
	}
	text := faultserver.Body{Text: "abc"}
	if text.Len() != 3 || string(text.Bytes()) != "abc" || text.SHA256() != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error("a text is not what it says")
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"0", "64KiB", "010", "1.5MiB", "9223372036854775807B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := faultserver.ParseSize(text)
		if err != nil {
			return
		}
		if back, err := faultserver.ParseSize(size.String()); err != nil || back != size || size < 0 {
			t.Errorf("%q is read as %d, written %s and read as %d, %v", text, size, size, back, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"0", "1m30s", "1.5s", "010s", "2562047h47m16.854775807s", "0.3h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := faultserver.ParseDuration(text)
		if err != nil {
			return
		}
		if d < 0 {
			t.Errorf("%q is read as %v", text, d)
		}
		if standard, err := time.ParseDuration(text); err != nil || standard != d {
			t.Errorf("%q is read as %v; the standard library reads %v, %v", text, d, standard, err)
		}
	})
}

func FuzzParsePoint(f *testing.F) {
	for _, seed := range []string{"request-head", "request-body@64KiB", "response-body@0", "accept", "@", "request-body@@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		point, err := faultserver.ParsePoint(text)
		if err != nil {
			return
		}
		if back, err := faultserver.ParsePoint(point.String()); err != nil || back != point {
			t.Errorf("%q is read as %v, written %s and read as %v, %v", text, point, point, back, err)
		}
	})
}
