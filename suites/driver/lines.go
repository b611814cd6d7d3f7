package driver

import (
	"bufio"
	"errors"
	"io"
)

// errLineTooLong is the error of a line beyond MaxLine.
var errLineTooLong = errors.New("the line is too long")

// lines reads lines of at most MaxLine bytes.
type lines struct{ from *bufio.Reader }

func newLines(from io.Reader) lines { return lines{bufio.NewReaderSize(from, 64<<10)} }

// next is the next line without its end. At a line that is too long it gives
// its beginning with errLineTooLong; at the end io.EOF, with what stood there
// without a line's end.
func (l lines) next() ([]byte, error) {
	var line []byte
	for {
		piece, err := l.from.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > MaxLine:
			return line[:MaxLine], errLineTooLong
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return line, err
		default:
			return line[:len(line)-1], nil
		}
	}
}
