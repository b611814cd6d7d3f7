package assertions

import "time"

// lateness is by how much an upper bound was missed, beside what the machine
// itself is to blame for. Lower bounds have none: nothing makes a pause look
// shorter than it was, since it is measured from before the answer could be seen.
type lateness struct {
	// measured is the worst lateness of the machine while the contract ran.
	measured time.Duration
	// excess is how far beyond the bound the value lies.
	excess time.Duration
	// slack is what the bound leaves over the nominal value, for the machine.
	slack time.Duration
}

// explains tells that the failure says nothing about the client.
func (l lateness) explains() bool {
	return l.excess <= l.measured || l.measured > l.slack
}

// late is the lateness of a value beyond its bound.
func (s subject) late(value, bound, nominal time.Duration) lateness {
	return lateness{measured: s.evidence.Lateness, excess: value - bound, slack: bound - nominal}
}
