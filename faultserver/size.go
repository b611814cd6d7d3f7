package faultserver

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. Its text form is a whole number, alone or with
// one of the units B, KiB, MiB and GiB: "500", "64KiB".
type Size int64

// The units of sizes.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
)

// sizeUnits are the units from the largest down, as String prefers them.
var sizeUnits = []struct {
	name string
	size Size
}{{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"B", 1}}

// ParseSize reads a size. It refuses signs, fractions, leading zeros (010 would
// be read as 8 by some) and decimal units such as kB.
func ParseSize(text string) (Size, error) {
	digits, unit := text, Size(1)
	for _, u := range sizeUnits {
		if rest, found := strings.CutSuffix(text, u.name); found {
			digits, unit = rest, u.size
			break
		}
	}
	if !isWholeNumber(digits) {
		return 0, fmt.Errorf("size %q: want a whole number, alone or with B, KiB, MiB or GiB, such as 500 or 64KiB", text)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) {
		return 0, fmt.Errorf("size %q: too large, the largest is %d bytes", text, int64(math.MaxInt64))
	}
	return Size(n) * unit, nil
}

// String is the size with the largest unit that divides it, and without one
// below 1KiB.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if u.size > 1 && s != 0 && s%u.size == 0 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText implements encoding.TextMarshaler.
func (s Size) MarshalText() ([]byte, error) {
	return []byte(s.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler; see ParseSize.
func (s *Size) UnmarshalText(text []byte) error {
	size, err := ParseSize(string(text))
	if err == nil {
		*s = size
	}
	return err
}

// isWholeNumber tells whether text is decimal digits without a leading zero.
func isWholeNumber(text string) bool {
	return isDigits(text) && (text == "0" || text[0] != '0')
}

// isDigits tells whether text is one decimal digit or more.
func isDigits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}
