package faultserver

// Size is a number of bytes. Its text form is a whole number, alone or with
// one of the units B, KiB, MiB and GiB: "500", "64KiB".
type Size int64

// The units of sizes.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
)
