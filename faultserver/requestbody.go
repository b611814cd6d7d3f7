package faultserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// keptBody is how much of a request's body the journal keeps where asked.
	keptBody = 64 << 10
	// maxChunkLine bounds a chunk's size line, with its extensions, and a
	// trailer line.
	maxChunkLine = 8 << 10
	// maxTrailers bounds the number of trailer lines.
	maxTrailers = 100
)

// wholeBody is beyond any body's end.
const wholeBody = math.MaxInt64

// A requestBody reads the body of one request into its receipt. It is never
// held whole.
type requestBody struct {
	in      *input
	receipt BodyReceipt
	hash    hash.Hash // nil while nothing has come
	keep    bool
	// news tells that more has come since the last snapshot.
	news bool
	// left is what is still to come of the length or of the current chunk.
	left int64
	// inChunk tells that the current chunk's closing CRLF has not been read.
	inChunk bool
	lastAt  time.Time
}

// A badBody says what is wrong with a body's framing.
type badBody struct{ reason string }

func (b *badBody) Error() string { return b.reason }

func newRequestBody(in *input, h *head, keep bool) *requestBody {
	b := &requestBody{}
	b.begin(in, h, keep)
	return b
}

// begin makes an empty one that of a request.
func (b *requestBody) begin(in *input, h *head, keep bool) {
	b.in, b.keep = in, keep
	b.receipt.Declared, b.receipt.Chunked = h.declared, h.chunked
	b.left = max(h.declared, 0)
	if h.chunked {
		b.left = 0
	}
	b.receipt.Complete = !h.hasBody()
}

// readTo reads until n bytes of content have come in all, or the body is
// complete. It fails with a badBody, or when the client leaves.
func (b *requestBody) readTo(n int64) error {
	if b.receipt.Complete || b.receipt.Received >= n {
		return nil
	}
	buffer := transferBuffers.Get().(*[transferBuffer]byte)
	defer transferBuffers.Put(buffer)
	for !b.receipt.Complete && b.receipt.Received < n {
		if b.left == 0 {
			if err := b.nextChunk(); err != nil {
				return err
			}
			continue
		}
		want := min(b.left, n-b.receipt.Received, transferBuffer)
		got, err := b.in.Read(buffer[:want])
		if err != nil {
			return err
		}
		b.take(buffer[:got])
	}
	return nil
}

func (b *requestBody) take(content []byte) {
	if b.hash == nil {
		b.hash = sha256.New()
	}
	b.hash.Write(content)
	b.lastAt, b.news = b.in.last, true
	b.left -= int64(len(content))
	b.receipt.Received += int64(len(content))
	if b.keep {
		b.receipt.Kept = append(b.receipt.Kept, content[:min(len(content), keptBody-len(b.receipt.Kept))]...)
	}
	if b.left == 0 && !b.receipt.Chunked {
		b.receipt.Complete = true
	}
}

// nextChunk reads what stands between two chunks, and after the last one the
// trailers.
func (b *requestBody) nextChunk() error {
	if b.inChunk {
		line, err := b.line()
		if err != nil {
			return err
		}
		if line != "" {
			return &badBody{fmt.Sprintf("%q where a chunk should end", clip(line))}
		}
		b.inChunk = false
	}
	line, err := b.line()
	if err != nil {
		return err
	}
	size, _, _ := strings.Cut(line, ";")
	size = strings.TrimRight(size, " \t")
	n, err := strconv.ParseUint(size, 16, 63)
	if err != nil || strings.ContainsAny(size, "+_") {
		return &badBody{fmt.Sprintf("chunk size %q; want hexadecimal digits", clip(size))}
	}
	b.left, b.inChunk = int64(n), true
	if n > 0 {
		return nil
	}
	return b.readTrailers()
}

func (b *requestBody) readTrailers() error {
	for range maxTrailers {
		line, err := b.line()
		if err != nil {
			return err
		}
		if line == "" {
			b.receipt.Complete, b.lastAt, b.news = true, b.in.last, true
			return nil
		}
		name, value, found := strings.Cut(line, ":")
		if !found || !isToken(name) {
			return &badBody{fmt.Sprintf("trailer line %q; want name: value", clip(line))}
		}
		b.receipt.Trailers = append(b.receipt.Trailers, Header{name, strings.Trim(value, " \t")})
	}
	return &badBody{fmt.Sprintf("more than %d trailer lines", maxTrailers)}
}

// line reads a line of the framing, without its end.
func (b *requestBody) line() (string, error) {
	for {
		data := b.in.unread()
		if end := bytes.IndexByte(data, '\n'); end >= 0 && end <= maxChunkLine {
			text, ended := strings.CutSuffix(string(data[:end]), "\r")
			b.in.skip(end + 1)
			if !ended || !isPrintable(text) && strings.ContainsFunc(text, isControl) {
				return "", &badBody{fmt.Sprintf("a line in the framing with a control character, or that ends without CR: %q", clip(text))}
			}
			return text, nil
		}
		if len(data) > maxChunkLine {
			return "", &badBody{fmt.Sprintf("a line of more than %d bytes in the framing: %q", maxChunkLine, clip(string(data)))}
		}
		if err := b.in.fill(); err != nil {
			return "", err
		}
	}
}

// snapshot is the receipt as of now.
func (b *requestBody) snapshot() BodyReceipt {
	b.news = false
	receipt := b.receipt
	receipt.SHA256 = hashOfNothing
	if b.hash != nil {
		receipt.SHA256 = hex.EncodeToString(b.hash.Sum(nil))
	}
	return receipt
}

var hashOfNothing = Body{}.SHA256()

// isBadBody tells a framing error from the client's leaving.
func isBadBody(err error) bool {
	var bad *badBody
	return errors.As(err, &bad)
}
