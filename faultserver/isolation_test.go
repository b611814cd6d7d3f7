package faultserver_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// TestEachStepIsServedOnce has parallel requests get as many distinct answers, each
// exactly once: 1,000 at once, and 10,000 of 64 clients.
func TestEachStepIsServedOnce(t *testing.T) {
	t.Run("all at once", func(t *testing.T) { servedOnce(t, 1000, 1000) })
	t.Run("a long script", func(t *testing.T) { servedOnce(t, 10_000, 64) })
}

func servedOnce(t *testing.T, n, parallel int) {
	t.Helper()
	var steps []faultserver.Step
	for i := range n {
		steps = append(steps, faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Body: faultserver.Body{Text: strconv.Itoa(i + 1)}}}})
	}
	s := open(t, faultserver.Config{Script: steps})
	answers := make(chan string, n)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}
	defer client.CloseIdleConnections()
	many(t, n, parallel, func(int) error {
		body, err := fetch(client, s.URL())
		answers <- body
		return err
	})
	close(answers)
	seen := map[string]int{}
	for answer := range answers {
		seen[answer]++
	}
	for i := range n {
		if seen[strconv.Itoa(i+1)] != 1 {
			t.Fatalf("answer %d came %d times; want once", i+1, seen[strconv.Itoa(i+1)])
		}
	}
	journal := s.Journal()
	expectAllMet(t, journal, n)
	numbers := map[int]bool{}
	for _, a := range journal.Attempts {
		numbers[a.Number] = true
		if a.Number != a.Step.Index {
			t.Fatalf("attempt %d took step %d; want the number and the step to be taken together", a.Number, a.Step.Index)
		}
	}
	if len(numbers) != n || len(journal.Unmet) != 0 {
		t.Errorf("%d numbers, unmet %v; want %d and none", len(numbers), journal.Unmet, n)
	}
}

// TestSessionsNeverSeeEachOther runs 200 sessions side by side, with listeners
// of their own and under one host.
func TestSessionsNeverSeeEachOther(t *testing.T) {
	const sessions, requests = 200, 10
	host, err := faultserver.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	kinds := map[string]func(id string, cfg faultserver.Config) (*faultserver.Session, error){
		"own listeners": func(id string, cfg faultserver.Config) (*faultserver.Session, error) {
			cfg.ID = id
			return faultserver.Open(cfg)
		},
		"one host": host.Open,
	}
	for kind, opened := range kinds {
		t.Run(kind, func(t *testing.T) {
			many(t, sessions, sessions, func(i int) error {
				id := fmt.Sprintf("session-%d", i)
				s, err := opened(id, faultserver.Config{AfterScript: faultserver.RepeatAfterScript, Script: []faultserver.Step{
					{Act: faultserver.Respond{Answer: faultserver.Answer{Body: faultserver.Body{Text: id}}}},
				}})
				if err != nil {
					return err
				}
				for range requests {
					if body, err := fetch(client, s.URL()+"/"+id); err != nil || body != id {
						return fmt.Errorf("answer %q, %w; want %q", body, err, id)
					}
				}
				if err := s.Close(); err != nil {
					return err
				}
				return onlyOwn(s.Journal(), id, requests)
			})
		})
	}
}

func onlyOwn(journal faultserver.Journal, id string, requests int) error {
	if len(journal.Attempts) != requests {
		return fmt.Errorf("%d attempts; want %d", len(journal.Attempts), requests)
	}
	for i, a := range journal.Attempts {
		if a.Target != "/"+id || a.Session != id || a.Index != i+1 {
			return fmt.Errorf("attempt %d is %s of %s; want /%s", a.Index, a.Target, a.Session, id)
		}
	}
	return nil
}

func fetch(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return string(body), err
}
