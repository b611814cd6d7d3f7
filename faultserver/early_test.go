package faultserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// largeBody is more than the sockets' buffers on both sides hold.
var largeBody = faultserver.Body{Size: 8 * faultserver.MiB, Seed: 1}

// TestEarlyAnswersAreRead has an answer reach clients that are still sending
// the body it does not wait for.
func TestEarlyAnswersAreRead(t *testing.T) {
	content := largeBody.Bytes()
	trials := []struct {
		at     string
		client string
		busy   bool
		runs   int
	}{
		{"request-body@64KiB", "socket", false, runs},
		{"request-body@64KiB", "socket", true, 200},
		{"request-body@64KiB", "net/http", false, 100},
		{"request-head", "socket", false, 200},
		{"request-head", "net/http", true, 100},
	}
	for _, trial := range trials {
		t.Run(fmt.Sprintf("%s, %s, busy=%t", trial.at, trial.client, trial.busy), func(t *testing.T) {
			if trial.busy {
				keepBusy(t)
			}
			s := open(t, faultserver.Config{Script: script("413@" + trial.at + ":body=300:forever")})
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			many(t, trial.runs, 4, func(int) error {
				if trial.client == "socket" {
					return readWhileSending(s.URL(), content)
				}
				return putAll(client, s.URL(), content)
			})
			expectAllMet(t, s.Journal(), trial.runs)
		})
	}
}

// readWhileSending sends a request and reads the answer at the same time.
func readWhileSending(url string, content []byte) error {
	p, err := connect(url)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		p.say(fmt.Sprintf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(content)))
		_, _ = p.Write(content)
	}()
	body, end := p.hearBody()
	_ = p.Close()
	<-sent
	if len(body) != 300 || end != "fin" {
		return fmt.Errorf("heard %d bytes, then %s; want 300, then fin", len(body), end)
	}
	return nil
}

func putAll(client *http.Client, url string, content []byte) error {
	request, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 413 || len(body) != 300 {
		return fmt.Errorf("%s with %d bytes, %w; want 413 with 300", response.Status, len(body), err)
	}
	return nil
}

// TestEarlyAnswersAreReadByCurl is the same with a client that is not ours.
func TestEarlyAnswersAreReadByCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal("curl is needed for this test: install it")
	}
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, largeBody.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, faultserver.Config{Script: script("413@request-head:body=300:forever")})
	many(t, 60, 4, func(int) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, curl, "-sS", "-H", "Expect:", "-T", file, "-w", "%{http_code}/%{size_download}", "-o", os.DevNull, s.URL()+"/").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "413/300" {
			return fmt.Errorf("curl says %q, %w; want 413/300", out, err)
		}
		return nil
	})
}

// TestAnEarlyAnswerReadsOnForTheReceipt has what comes after the answer in the
// journal: the body is counted and hashed to where it came.
func TestAnEarlyAnswerReadsOnForTheReceipt(t *testing.T) {
	s := open(t, faultserver.Config{Script: script("413@request-body@64KiB:body=300")})
	if err := readWhileSendingAll(s.URL(), largeBody.Bytes()); err != nil {
		t.Fatal(err)
	}
	journal := eventually(t, s, "the attempt is over", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && !j.Attempts[0].Open })
	a := journal.Attempts[0]
	if a.Body.Received != largeBody.Len() || !a.Body.Complete || a.Body.SHA256 != largeBody.SHA256() {
		t.Errorf("receipt %+v; want the whole body", a.Body)
	}
	if a.End.Latest > a.BodyRead {
		t.Errorf("the answer ended at %v, after the body at %v; want it before", a.End, a.BodyRead)
	}
}

// readWhileSendingAll goes on sending after the answer has been read.
func readWhileSendingAll(url string, content []byte) error {
	p, err := connect(url)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	p.say(fmt.Sprintf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(content)))
	if _, err := p.Write(content); err != nil {
		return err
	}
	body, end := p.hearBody()
	if len(body) != 300 || end != "fin" {
		return fmt.Errorf("heard %d bytes, then %s; want 300, then fin", len(body), end)
	}
	return nil
}
