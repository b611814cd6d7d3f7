package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// ends wants an exchange to end in a way.
func ends(end ending) func(seen) error {
	return func(s seen) error {
		if s.end != end {
			return fmt.Errorf("it ended by %s after %d bytes; expected %s", s.end, len(s.bytes), end)
		}
		return nil
	}
}

// exactly wants these bytes and an ending.
func exactly(text string, end ending) func(seen) error {
	return func(s seen) error {
		if string(s.bytes) != text {
			return fmt.Errorf("%d bytes; expected %d: %.60q", len(s.bytes), len(text), s.bytes)
		}
		return ends(end)(s)
	}
}

// nothing wants no byte, and an ending.
func nothing(end ending) func(seen) error { return exactly("", end) }

// is wants a status line, a complete head, exactly this after it, and an ending.
func is(status string, end ending, body string) func(seen) error {
	return func(s seen) error {
		head, came := s.parts()
		if !bytes.HasPrefix(head, []byte("HTTP/1.1 "+status+"\r\n")) {
			return fmt.Errorf("a head %.60q; expected %s", head, status)
		}
		if string(came) != body {
			return fmt.Errorf("%d bytes after the head; expected %d, the last of %.60q", len(came), len(body), came)
		}
		return ends(end)(s)
	}
}

// whole wants a complete answer whose length is declared.
func whole(status int, body string, end ending) func(seen) error {
	return func(s seen) error {
		if err := line(fmt.Sprintf("Content-Length: %d", len(body)), "")(s); err != nil {
			return err
		}
		return is(fmt.Sprintf("%d %s", status, http.StatusText(status)), end, body)(s)
	}
}

// answers wants a status, whatever else there is, and FIN.
func answers(status int) func(seen) error {
	return func(s seen) error {
		if head, _ := s.parts(); !bytes.HasPrefix(head, fmt.Appendf(nil, "HTTP/1.1 %d ", status)) {
			return fmt.Errorf("a head %.60q; expected %d", head, status)
		}
		return ends(fin)(s)
	}
}

// cut wants an answer that declares cutBody bytes, exactly so many of them, and an
// ending.
func cut(sent int, end ending) func(seen) error {
	return func(s seen) error {
		if err := line(fmt.Sprintf("Content-Length: %d", cutBody), "")(s); err != nil {
			return err
		}
		if _, body := s.parts(); len(body) != sent {
			return fmt.Errorf("%d body bytes; expected %d", len(body), sent)
		}
		return ends(end)(s)
	}
}

// line wants a line in the head that begins and ends so.
func line(begins, ends string) func(seen) error {
	return func(s seen) error {
		head, _ := s.parts()
		for one := range strings.SplitSeq(string(head), "\r\n") {
			if strings.HasPrefix(one, begins) && strings.Contains(one[len(begins):], ends) {
				return nil
			}
		}
		return fmt.Errorf("no line %q in the head %.200q", begins+"…"+ends, head)
	}
}

// twice wants two lines that begin so and differ.
func twice(begins string) func(seen) error {
	return func(s seen) error {
		head, _ := s.parts()
		var lines []string
		for one := range strings.SplitSeq(string(head), "\r\n") {
			if strings.HasPrefix(one, begins) {
				lines = append(lines, one)
			}
		}
		if len(lines) != 2 || lines[0] == lines[1] {
			return fmt.Errorf("the lines %q; expected two that differ", lines)
		}
		return nil
	}
}

// lacks wants a 200 in chunks whose body does not match.
func lacks(pattern string) func(seen) error {
	matches := regexp.MustCompile(pattern)
	return func(s seen) error {
		if _, body := s.parts(); len(body) == 0 || matches.Match(body) {
			return fmt.Errorf("a body %.60q that is not broken", body)
		}
		return line("Transfer-Encoding: chunked", "")(s)
	}
}

// longHead wants a head of 64 KiB at least.
func longHead(s seen) error {
	if head, _ := s.parts(); len(head) < 64<<10 {
		return fmt.Errorf("a head of %d bytes; expected more than 64 KiB", len(head))
	}
	return nil
}

// badStatus wants a status that is no number.
func badStatus(s seen) error {
	head, _ := s.parts()
	status, _, _ := strings.Cut(strings.TrimPrefix(string(head), "HTTP/1.1 "), " ")
	if status == "" || strings.Trim(status, "0123456789") == "" {
		return fmt.Errorf("a status line %.40q that is not broken", head)
	}
	return nil
}

// lasts wants an exchange to have taken a time at least.
func lasts(least time.Duration) func(seen) error {
	return func(s seen) error {
		if s.took < least {
			return fmt.Errorf("it took %v; expected %v at least", s.took, least)
		}
		return nil
	}
}

// pauses wants the connection to have been idle for a time at least before its end.
// What the client reads last is read a little after it was sent.
func pauses(least time.Duration) func(seen) error {
	return func(s seen) error {
		if s.took < least {
			return fmt.Errorf("it ended after %v; expected %v of idleness", s.took, least)
		}
		return nil
	}
}

// unsolicited wants an answer, and after a while another that nobody asked for.
func unsolicited(s seen) error {
	first, second, found := bytes.Cut(s.bytes, []byte(okBody))
	if !found || !bytes.HasPrefix(first, []byte("HTTP/1.1 200 ")) || !bytes.HasPrefix(second, []byte("HTTP/1.1 408 ")) {
		return fmt.Errorf("%.80q; expected a 200 and then a 408", s.bytes)
	}
	return both(pauses(shortWait), ends(fin))(s)
}

// continued wants 100 Continue no sooner than after a time, and then the answer.
func continued(least time.Duration) func(seen) error {
	return func(s seen) error {
		after, found := bytes.CutPrefix(s.bytes, []byte("HTTP/1.1 100 Continue\r\n\r\n"))
		if !found {
			return fmt.Errorf("%.60q; expected 100 Continue", s.bytes)
		}
		s.bytes = after
		return both(whole(200, okBody, fin), lasts(least))(s)
	}
}

// both wants all of it.
func both(wants ...func(seen) error) func(seen) error {
	return func(s seen) error {
		for _, want := range wants {
			if err := want(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// either wants one of it.
func either(wants ...func(seen) error) func(seen) error {
	return func(s seen) error {
		var problems []error
		for _, want := range wants {
			err := want(s)
			if err == nil {
				return nil
			}
			problems = append(problems, err)
		}
		return errors.Join(problems...)
	}
}
