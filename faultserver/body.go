package faultserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// Body is the content of a request or of an answer: a text, or a number of
// bytes drawn from a seed. The zero value is no body.
type Body struct {
	// Text is sent as it is. It excludes Size.
	Text string `yaml:"text"`
	// Size is how many bytes are drawn from Seed (ChaCha8), the same each time.
	Size Size `yaml:"size"`
	// Seed is what the bytes are drawn from; 0 is a seed like any other.
	Seed uint64 `yaml:"seed"`
	// Stream asks the client to send the body as a stream that can be read only
	// once; it has no meaning for an answer.
	Stream bool `yaml:"stream"`
}

// Len is the body's length in bytes.
func (b Body) Len() int64 {
	if b.Text != "" {
		return int64(len(b.Text))
	}
	return int64(b.Size)
}

// Reader reads the body from its beginning. Bytes are drawn as they are read;
// a large body is never held whole.
func (b Body) Reader() io.Reader {
	if b.Text != "" || b.Size == 0 {
		return strings.NewReader(b.Text)
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], b.Seed)
	return io.LimitReader(rand.NewChaCha8(key), int64(b.Size))
}

// Bytes is the whole body in memory.
func (b Body) Bytes() []byte {
	var content bytes.Buffer
	_, _ = content.ReadFrom(b.Reader()) // neither side can fail
	return content.Bytes()
}

// SHA256 is the hash of the whole body, in hexadecimal.
func (b Body) SHA256() string {
	return b.PrefixSHA256(b.Len())
}

// PrefixSHA256 is the hash of the body's first n bytes, in hexadecimal; of the
// whole body where it is shorter. It tells whether a body that was cut after n
// bytes is a prefix of this one.
func (b Body) PrefixSHA256(n int64) string {
	hash := sha256.New()
	_, _ = io.Copy(hash, io.LimitReader(b.Reader(), n)) // neither side can fail
	return hex.EncodeToString(hash.Sum(nil))
}

// Validate says what is wrong with the body, if anything.
func (b Body) Validate() error {
	var problems []error
	if b.Text != "" && b.Size != 0 {
		problems = append(problems, fmt.Errorf("body: a text of %d bytes and a size of %s exclude each other; keep one", len(b.Text), b.Size))
	}
	if b.Size < 0 {
		problems = append(problems, fmt.Errorf("body: a size of %d bytes; want 0 or more", int64(b.Size)))
	}
	return errors.Join(problems...)
}
