package faultserver

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// maxUnread is how much of what the client sent is held before it is looked
// at. It bounds a head, and how far the server reads ahead while it waits and
// watches for the client's leaving.
const maxUnread = 1 << 20

// smallBuffer is what a connection holds while it has nothing large to hold.
const smallBuffer = 4 << 10

// tinyBuffer is what it holds while it waits for a client to leave: room for what
// shows that the client has not. (10,000 stalled connections took 4 KiB less each.)
const tinyBuffer = 16

var smallBuffers = sync.Pool{New: func() any { return new([smallBuffer]byte) }}

// An input is what comes in on a connection, with the time at which each byte
// was read.
type input struct {
	conn net.Conn
	// small is a buffer of smallBuffer bytes; nil while the connection is watched
	// and nothing lies unread, when tiny does.
	small *[smallBuffer]byte
	tiny  [tinyBuffer]byte
	buf   []byte
	r, w  int
	// read is the number of bytes before buf[r] in the stream.
	read  int64
	marks []mark
	// last is when the byte that was consumed last had come.
	last time.Time
	// tap, if not nil, is shown every byte that is consumed, framing included.
	tap func([]byte)
	// gone is why nothing more comes, and since when; nil while something can.
	gone   error
	goneAt time.Time
}

// A mark says that the bytes of the stream before end, and after the mark
// before it, were read at a time.
type mark struct {
	end int64
	at  time.Time
}

func newInput(conn net.Conn) *input {
	in := &input{conn: conn, small: smallBuffers.Get().(*[smallBuffer]byte)}
	in.buf = in.small[:]
	return in
}

// fewMarks is how many a connection keeps room for.
const fewMarks = 8

// release gives the buffer back. The input must not be used after it.
func (in *input) release() {
	if in.small != nil {
		smallBuffers.Put(in.small)
	}
	in.small, in.buf, in.r, in.w = nil, nil, 0, 0
}

// slim gives the buffer back for as long as nothing comes, if nothing lies unread.
func (in *input) slim() {
	if in.w == in.r && in.small != nil {
		smallBuffers.Put(in.small)
		in.small, in.buf, in.r, in.w, in.marks = nil, in.tiny[:], 0, 0, nil
	}
}

// widen takes a buffer again, with what has come meanwhile.
func (in *input) widen() {
	if in.small == nil {
		in.small = smallBuffers.Get().(*[smallBuffer]byte)
		in.w = copy(in.small[:], in.unread())
		in.buf, in.r = in.small[:], 0
	}
}

// unread is what has been read and not consumed. It is valid until the next
// call of another method.
func (in *input) unread() []byte { return in.buf[in.r:in.w] }

// firstAt is when the first unread byte came.
func (in *input) firstAt() time.Time { return in.cameAt(in.read) }

// cameAt is when the byte at an offset of the stream came.
func (in *input) cameAt(offset int64) time.Time {
	for _, m := range in.marks {
		if m.end > offset {
			return m.at
		}
	}
	return time.Now()
}

// skip consumes n unread bytes.
func (in *input) skip(n int) {
	if n == 0 {
		return
	}
	in.last = in.cameAt(in.read + int64(n) - 1)
	if in.tap != nil {
		in.tap(in.buf[in.r : in.r+n])
	}
	in.r += n
	in.read += int64(n)
	passed := 0
	for passed < len(in.marks) && in.marks[passed].end <= in.read {
		passed++
	}
	in.marks = slices.Delete(in.marks, 0, passed)
	if in.r == in.w {
		in.r, in.w = 0, 0
		if cap(in.marks) > fewMarks {
			in.marks = nil
		}
		in.buf = in.small[:] // a large head or read-ahead is not held on to
	}
}

// fill reads once and adds what came to the unread bytes. With maxUnread of
// them it fails with errFull.
func (in *input) fill() error {
	if in.gone != nil {
		return in.gone
	}
	if in.w-in.r >= maxUnread {
		return errFull
	}
	if in.w == len(in.buf) {
		in.widen()
	}
	if in.w == len(in.buf) {
		larger := in.buf
		if in.w-in.r > len(in.buf)/2 {
			larger = make([]byte, 2*len(in.buf))
		}
		in.w = copy(larger, in.buf[in.r:in.w])
		in.buf, in.r = larger, 0
	}
	n, err := in.conn.Read(in.buf[in.w:])
	if n > 0 {
		in.w += n
		in.marks = append(in.marks, mark{end: in.read + int64(in.w-in.r), at: time.Now()})
		return nil
	}
	return in.note(err)
}

// errFull says that maxUnread bytes lie unread.
var errFull = errors.New("more unread bytes than are held")

// Read consumes bytes that were read ahead, or else reads straight from the
// connection.
func (in *input) Read(p []byte) (int, error) {
	if in.w > in.r {
		n := copy(p, in.unread())
		in.skip(n)
		return n, nil
	}
	if in.gone != nil {
		return 0, in.gone
	}
	n, err := in.conn.Read(p)
	if n > 0 {
		in.read += int64(n)
		in.last = time.Now()
		if in.tap != nil {
			in.tap(p[:n])
		}
		return n, nil
	}
	return 0, in.note(err)
}

// note remembers an error after which nothing more comes. A deadline is none.
func (in *input) note(err error) error {
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		in.gone, in.goneAt = err, time.Now()
	}
	return err
}

// how tells how the client left, or "" if it did not leave first.
func (in *input) how() string {
	switch {
	case in.gone == nil:
		return ""
	case errors.Is(in.gone, io.EOF), errors.Is(in.gone, io.ErrUnexpectedEOF): // the latter in TLS, without close_notify
		return "client-fin"
	case isReset(in.gone):
		return "client-rst"
	}
	return ""
}

// watch waits for a duration, or until done is closed if that is sooner, and
// tells whether the connection is still there then. What comes meanwhile is
// kept as unread. ended is closed when the server ends the connection.
func (in *input) watch(d time.Duration, done, ended <-chan struct{}) bool {
	if d <= 0 {
		return in.gone == nil
	}
	deadline := time.Now().Add(d)
	if err := in.conn.SetReadDeadline(deadline); err != nil {
		return false
	}
	defer in.unwatch()
	if done != nil {
		defer in.wakeBy(done)()
	}
	in.slim()
	err := in.fill()
	for err == nil {
		err = in.fill()
	}
	if errors.Is(err, errFull) {
		return waitFull(time.Until(deadline), done, ended)
	}
	return errors.Is(err, os.ErrDeadlineExceeded)
}

func (in *input) unwatch() {
	_ = in.conn.SetReadDeadline(time.Time{}) // a connection that is gone needs none
	in.widen()
}

// wakeBy has a read end when done is closed, until stop is called.
func (in *input) wakeBy(done <-chan struct{}) (stop func()) {
	over, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-done:
			_ = in.conn.SetReadDeadline(time.Unix(1, 0))
		case <-over:
		}
	}()
	return func() { close(over); <-left }
}

// waitFull waits without reading.
func waitFull(d time.Duration, done, ended <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	case <-ended:
		return false
	}
	return true
}

// discard reads on and forgets until nothing more comes or the duration has
// passed, and returns how many bytes came.
func (in *input) discard(d time.Duration) int64 {
	_ = in.conn.SetReadDeadline(time.Now().Add(d))
	count := int64(len(in.unread()))
	in.skip(len(in.unread()))
	buffer := transferBuffers.Get().(*[transferBuffer]byte)
	defer transferBuffers.Put(buffer)
	for {
		n, err := in.Read(buffer[:])
		count += int64(n)
		if err != nil {
			return count
		}
	}
}

// transferBuffer is the unit in which bodies are read and written.
const transferBuffer = 64 << 10

var transferBuffers = sync.Pool{New: func() any { return new([transferBuffer]byte) }}
