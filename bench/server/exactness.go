package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// exactClients ask at the same time.
const exactClients = 64

// distinctScript is of so many answers, each with a body of its own.
func distinctScript(answers int) string {
	steps := make([]string, answers)
	for i := range steps {
		steps[i] = fmt.Sprintf("200:body=16:seed=%d", i+1)
	}
	return strings.Join(steps, ",")
}

// exactness compares how many of a script's answers are given once, and no more,
// to clients that ask at the same time.
func exactness(b bench) (table, error) {
	t := table{
		title: fmt.Sprintf("A script under %d clients", exactClients),
		about: fmt.Sprintf("A script of %d different answers, asked for that often by %d clients at the same time: how many of the answers were given exactly once. "+
			"By hand it is an atomic counter in the handler.", b.size.answers, exactClients),
		head: []string{"", "given exactly once", "given twice or more", "never given"},
	}
	for i, e := range b.entrants {
		if e.distinct == nil {
			t.rows = append(t.rows, []string{e.name, cannot, cannot, cannot})
			continue
		}
		counts, err := distinctAnswers(e, b.size.answers)
		if err != nil {
			return table{}, fmt.Errorf("%s: %w", e.name, err)
		}
		once, more := 0, 0
		for _, times := range counts {
			if times == 1 {
				once++
			} else {
				more++
			}
		}
		t.rows = append(t.rows, []string{e.name, fmt.Sprintf("%d of %d", once, b.size.answers), fmt.Sprint(more), fmt.Sprint(b.size.answers - len(counts))})
		if i == 1 {
			t.limits = []limit{{"each answer exactly once", once == b.size.answers && len(counts) == once}}
		}
	}
	return t, nil
}

// distinctAnswers counts how often each answer was given.
func distinctAnswers(e entrant, answers int) (map[string]int, error) {
	served, err := e.distinct(answers)
	if err != nil {
		return nil, err
	}
	defer served.stop()
	left := make(chan struct{}, answers)
	for range answers {
		left <- struct{}{}
	}
	close(left)
	var mu sync.Mutex
	counts := map[string]int{}
	failures := make(chan error, exactClients)
	for range exactClients {
		go func() {
			failures <- func() error {
				c, err := dial(served.address, served.path)
				if err != nil {
					return err
				}
				defer c.close()
				if err := c.conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
					return err
				}
				for range left {
					_, body, err := c.exchange()
					if err != nil {
						return err
					}
					mu.Lock()
					counts[string(body)]++
					mu.Unlock()
				}
				return nil
			}()
		}()
	}
	for range exactClients {
		err = errors.Join(err, <-failures)
	}
	return counts, err
}
