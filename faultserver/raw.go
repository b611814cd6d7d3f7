package faultserver

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Raw sends exact bytes in given pieces: whatever they are, nothing is added.
type Raw struct {
	// Pieces are sent one after another, each in a write of its own. Without Every
	// the network may still hand two of them over together.
	Pieces []Piece `yaml:"pieces"`
	// Every is the pause between two pieces; 0 means none.
	Every time.Duration `yaml:"every"`
	// End is what follows the last piece: "fin" (the default), "rst", "stall"
	// (until the client leaves, 60 s at most, then FIN) or "keep".
	End EndKind `yaml:"end"`
}

// A Piece is bytes that are sent as they are: any, not only text.
type Piece string

// mostRaw bounds the bytes of a Raw, which are held in memory.
const mostRaw = 1 << 20

// ActName implements Act.
func (Raw) ActName() string { return "raw" }

func (Raw) place() place { return place{phases: answerPhases, connection: true} }

func (r Raw) validate(at Point) []error {
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if len(r.Pieces) == 0 {
		refuse("pieces: there is none; want the bytes to send")
	}
	for i, piece := range r.Pieces {
		if piece == "" {
			refuse("pieces: number %d is empty; leave it out", i+1)
		}
	}
	if n := r.length(); n > mostRaw {
		refuse("pieces: %d bytes in all; want at most %s", n, Size(mostRaw))
	}
	if r.Every < 0 {
		refuse("every: %s is negative; want 0 or more", FormatDuration(r.Every))
	}
	switch r.End {
	case "", EndFIN, EndStall:
	case EndKeep:
		switch at.Phase {
		case RequestHead, RequestBody:
			refuse("end: keep at %s: what is still to come of the request would be taken for the next one; strike at request-end", at)
		case Accept, TLSHandshake:
			refuse("end: keep at %s: a connection that is struck there serves no request; leave end out, or strike at request-end", at)
		}
	case EndRST:
		if !canSeeAcks {
			refuse("end: rst waits for an acknowledgement, which is %w", ErrPlatform)
		}
	default:
		refuse("end: %q; want fin, rst, stall or keep", string(r.End))
	}
	return problems
}

func (r Raw) length() (n int64) {
	for _, piece := range r.Pieces {
		n += int64(len(piece))
	}
	return n
}

// status is the status that the bytes begin an answer with; 0 for none.
func (r Raw) status() int {
	var text strings.Builder
	for _, piece := range r.Pieces {
		text.WriteString(string(piece))
	}
	rest, is := strings.CutPrefix(text.String(), "HTTP/1.")
	if is && len(rest) >= len("1 200") && rest[1] == ' ' && isDigits(rest[2:5]) {
		status, _ := strconv.Atoi(rest[2:5]) // three digits are a number
		return status
	}
	return 0
}

func (r Raw) intent(x *exchange) Effect {
	effect := Effect{Kind: "raw", At: x.at.String(), Status: r.status(), Body: r.length(), End: string(EndFIN)}
	switch r.End {
	case EndRST:
		effect.End = string(EndRST)
	case EndKeep:
		effect.End = ""
	case EndStall:
		effect.End = string(EndStall)
	}
	return effect
}

func (r Raw) perform(x *exchange) {
	x.beginAnswer(&rendering{})
	for i, piece := range r.Pieces {
		if i > 0 && !x.hold(r.Every, nil) {
			return
		}
		x.settling() // the piece may be all that the client waits for
		if err := x.sendCounted([]byte(piece), bytes.NewReader(nil), wholeBody); err != nil {
			x.failed(err)
			return
		}
	}
	x.endAs(r.End, r.intent(x))
}

// endAs ends the connection after what has been sent, and enters the effect.
func (x *exchange) endAs(end EndKind, effect Effect) {
	switch end {
	case EndRST:
		if !x.awaitAcks() {
			return
		}
		x.abort()
		x.struck(effect)
		return
	case EndStall:
		x.struck(effect)
		x.lapseFor(0, x.shutdown)
		return
	case EndKeep:
		x.keep = x.head != nil && x.head.keepAlive()
		if !x.keep {
			x.miss("the client asked for no keep-alive")
			x.shutdown()
		}
	default:
		x.shutdown()
	}
	x.answeredNow()
	x.struck(effect)
	x.drain()
}

func (r Raw) parameters() parameters { return describeRaw(&r) }

func describeRaw(r *Raw) parameters {
	return described(nil, piecesField(&r.Pieces), durationField("every", &r.Every),
		wordField("end", &r.End, EndFIN, EndRST, EndStall, EndKeep))
}

// piecesField is pieces in base64 with the URL's alphabet and no padding, with
// dots between them.
func piecesField(field *[]Piece) setting {
	return setting{key: "base64", read: func(_ *draft, value string) error {
		for part := range strings.SplitSeq(value, ".") {
			piece, err := base64.RawURLEncoding.Strict().DecodeString(part)
			if err != nil {
				return fmt.Errorf("%q; want base64 with - and _, without =, and a dot between two pieces: %w", clip(part), err)
			}
			if len(piece) == 0 {
				return errors.New("a piece is empty; want at least one byte between two dots")
			}
			*field = append(*field, Piece(piece))
		}
		return nil
	}, write: func(*draft) (string, bool) {
		var parts []string
		for _, piece := range *field {
			parts = append(parts, base64.RawURLEncoding.EncodeToString([]byte(piece)))
		}
		return strings.Join(parts, "."), len(parts) > 0
	}}
}
