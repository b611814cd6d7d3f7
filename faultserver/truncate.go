package faultserver

import (
	"errors"
	"fmt"
)

// Truncate declares a whole answer and sends only a part of its body. It has
// no other point than that.
type Truncate struct {
	// After is how many body bytes are sent.
	After Size `yaml:"after"`
	// Answer is the answer that is declared. Without a body it gets one of
	// twice After (at least 1,000 bytes).
	Answer Answer `yaml:"answer"`
	// End is how it ends after those bytes: "fin" (the default), "rst" or
	// "stall" (until the client leaves, 60 s at most, then FIN).
	End EndKind `yaml:"end"`
	// Cut is where a chunked answer is cut: "inside-chunk" (the default),
	// "between-chunks" or "before-last-crlf". It needs chunked framing. Before
	// the last CRLF the whole body has been sent: After is then left out.
	Cut CutKind `yaml:"cut"`
}

// CutKind is where in chunked framing an answer is cut.
type CutKind string

// The cuts of a chunked answer.
const (
	CutInsideChunk    CutKind = "inside-chunk"
	CutBetweenChunks  CutKind = "between-chunks"
	CutBeforeLastCRLF CutKind = "before-last-crlf"
)

// ActName implements Act.
func (Truncate) ActName() string { return "truncate" }

func (t Truncate) place() place {
	return place{fixed: &Point{Phase: ResponseBody, N: t.sent()}}
}

// sent is how many body bytes are sent.
func (t Truncate) sent() Size {
	if t.Cut == CutBeforeLastCRLF {
		return Size(t.Answer.Encoded().withPartBody(0).Body.Len())
	}
	return t.After
}

func (t Truncate) validate(at Point) []error {
	problems := t.Answer.partProblems(at)
	if length := t.Answer.Encoded().withPartBody(t.After).Body.Len(); t.Cut != CutBeforeLastCRLF && int64(t.After) == length {
		problems = append(problems, fmt.Errorf("after: %s cuts nothing off a body of %d bytes; want fewer", t.After, length))
	}
	switch t.Cut {
	case "", CutInsideChunk, CutBetweenChunks, CutBeforeLastCRLF:
	default:
		problems = append(problems, fmt.Errorf("cut: %q; want inside-chunk, between-chunks or before-last-crlf", string(t.Cut)))
	}
	if t.Cut != "" && t.Answer.Framing != FramingChunked {
		problems = append(problems, fmt.Errorf("cut: %s needs an answer with framing: chunked", t.Cut))
	}
	if t.Cut == CutBeforeLastCRLF && t.After != 0 {
		problems = append(problems, errors.New("after: before the last CRLF the whole body has been sent; leave it out"))
	}
	switch t.End {
	case "", EndFIN, EndStall:
		if t.Answer.Framing == FramingClose && t.End != EndStall {
			problems = append(problems, errors.New("an answer whose end is told by FIN is complete when FIN comes; cut it with end: rst, or declare a length"))
		}
	case EndRST:
		if !canSeeAcks {
			problems = append(problems, fmt.Errorf("end: rst waits for an acknowledgement, which is %w", ErrPlatform))
		}
	default:
		problems = append(problems, fmt.Errorf("end: %q; want fin, rst or stall", string(t.End)))
	}
	return problems
}

func (t Truncate) intent(x *exchange) Effect {
	effect := x.partIntent("truncate", t.Answer)
	effect.End = string(EndFIN)
	if t.End == EndRST {
		effect.End = string(EndRST)
	}
	return effect
}

func (t Truncate) perform(x *exchange) {
	effect := t.intent(x)
	x.cut = t.Cut
	if !x.sendPart(t.Answer, &effect) {
		return
	}
	switch t.End {
	case EndRST:
		if !x.awaitAcks() || !x.pause() {
			return
		}
		x.abort()
		x.struck(effect)
	case EndStall:
		x.struck(effect)
		x.lapseFor(0, x.shutdown)
	default:
		if !x.pause() {
			return
		}
		x.shutdown()
		x.struck(effect)
		x.drain()
	}
}

func (t Truncate) parameters() parameters {
	return parameters{answer: t.Answer, after: t.After, end: t.End, cut: t.Cut, takes: append([]string{"end", "cut"}, answerParameters...), cutsAfter: true}
}
