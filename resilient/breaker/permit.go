package breaker

// Permit is the leave that one call has from a [Breaker]. One of its methods
// must be called once, when the call has ended. The zero Permit does nothing.
type Permit struct {
	breaker *Breaker
	era     uint64
	slot    int
	id      uint64
}

type result uint8

const (
	success result = iota
	failure
	neutral
)

// Success counts the call as one.
func (p Permit) Success() { p.settle(success) }

// Failure counts the call as one.
func (p Permit) Failure() { p.settle(failure) }

// Cancel gives the permit back: the call says nothing about the server.
func (p Permit) Cancel() { p.settle(neutral) }

func (p Permit) settle(r result) {
	if p.breaker != nil {
		p.breaker.settle(p, r)
	}
}

// Run calls the function if the breaker lets it pass. An error is a failure;
// a panic gives the permit back and goes on.
func (b *Breaker) Run(call func() error) error {
	permit, err := b.Allow()
	if err != nil {
		return err
	}
	result := neutral
	defer func() { permit.settle(result) }()
	if err := call(); err != nil {
		result = failure
		return err
	}
	result = success
	return nil
}
