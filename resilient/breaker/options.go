package breaker

import (
	"errors"
	"fmt"
	"time"
)

// The defaults of a breaker.
const (
	DefaultVolumeThreshold = 10                     // calls in the window before a percentage counts
	DefaultErrorPercent    = 25                     // of them that fail
	DefaultWindow          = 10 * time.Second       // in which they are counted
	DefaultSleepWindow     = 500 * time.Millisecond // that a breaker stays open
	DefaultProbes          = 1                      // that have to succeed
	DefaultProbeTimeout    = 30 * time.Second       // after which a probe is given up
)

// maxProbes keeps the search for a free slot short.
const maxProbes = 1000

// Option configures a [Breaker]. A bad value is an error of [New].
type Option interface {
	applyToBreaker(*config) error
}

type config struct {
	name         string
	inARow       int // failures that open; 0: by percentage
	volume       int
	percent      float64
	window       time.Duration
	sleepWindow  time.Duration
	probes       int
	probeTimeout time.Duration
	onChange     func(Change)
}

func newConfig(opts []Option) (config, error) {
	cfg := config{
		volume: DefaultVolumeThreshold, percent: DefaultErrorPercent, window: DefaultWindow,
		sleepWindow: DefaultSleepWindow, probes: DefaultProbes, probeTimeout: DefaultProbeTimeout,
	}
	var wrong []error
	for i, opt := range opts {
		if opt == nil {
			wrong = append(wrong, fmt.Errorf("option %d is nil: leave it out", i+1))
			continue
		}
		if err := opt.applyToBreaker(&cfg); err != nil {
			wrong = append(wrong, err)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return config{}, fmt.Errorf("breaker.New: %w", err)
	}
	return cfg, nil
}

// trips reports whether these failures open a closed breaker.
func (cfg *config) trips(inARow int, counted tally) bool {
	if cfg.inARow > 0 {
		return inARow >= cfg.inARow
	}
	return counted.calls >= cfg.volume && float64(counted.failures)*100 >= cfg.percent*float64(counted.calls)
}

type optionFunc func(*config) error

func (f optionFunc) applyToBreaker(cfg *config) error { return f(cfg) }

// WithName names the breaker in its errors and changes. Two breakers of one
// name have nothing in common but the name.
func WithName(name string) Option {
	return optionFunc(func(cfg *config) error { cfg.name = name; return nil })
}

// WithFailures opens the breaker after this many failures in a row, instead
// of by a percentage.
func WithFailures(inARow int) Option {
	return optionFunc(func(cfg *config) error {
		if inARow < 1 {
			return fmt.Errorf("WithFailures(%d): use 1 failure or more", inARow)
		}
		cfg.inARow = inARow
		return nil
	})
}

// WithErrorRate opens the breaker when at least volume calls ended in the
// rolling window and at least percent of them failed. It is the default, with
// [DefaultVolumeThreshold], [DefaultErrorPercent] and [DefaultWindow]. The
// window rolls in tenths.
func WithErrorRate(volume int, percent float64, window time.Duration) Option {
	return optionFunc(func(cfg *config) error {
		if volume < 1 {
			return fmt.Errorf("WithErrorRate: a volume of %d calls; use 1 or more", volume)
		}
		if !(percent > 0 && percent <= 100) {
			return fmt.Errorf("WithErrorRate: %v percent; use more than 0 and at most 100", percent)
		}
		if window < windowBuckets*time.Millisecond {
			return fmt.Errorf("WithErrorRate: a window of %v; use %v or more", window, windowBuckets*time.Millisecond)
		}
		cfg.inARow, cfg.volume, cfg.percent, cfg.window = 0, volume, percent, window
		return nil
	})
}

// WithOpenFor sets how long a breaker stays open before it lets probes pass.
func WithOpenFor(sleepWindow time.Duration) Option {
	return optionFunc(func(cfg *config) error {
		if sleepWindow <= 0 {
			return fmt.Errorf("WithOpenFor(%v): use a time above 0", sleepWindow)
		}
		cfg.sleepWindow = sleepWindow
		return nil
	})
}

// WithProbes sets how many probes a half-open breaker lets pass, at the same
// time if they come so. All must succeed to close it; one failure opens it
// again for the full time.
func WithProbes(probes int) Option {
	return optionFunc(func(cfg *config) error {
		if probes < 1 || probes > maxProbes {
			return fmt.Errorf("WithProbes(%d): use 1 to %d", probes, maxProbes)
		}
		cfg.probes = probes
		return nil
	})
}

// WithProbeTimeout sets after what time a probe that has not ended makes room
// for another. Its own result then counts no more.
func WithProbeTimeout(timeout time.Duration) Option {
	return optionFunc(func(cfg *config) error {
		if timeout <= 0 {
			return fmt.Errorf("WithProbeTimeout(%v): use a time above 0", timeout)
		}
		cfg.probeTimeout = timeout
		return nil
	})
}

// Change is a change of a breaker's state.
type Change struct {
	Name     string
	From, To State
}

// WithOnChange has a function told of each change of state. It runs outside
// the breaker's lock, on the goroutine of the call that brought the change
// about, and may use the breaker. Two changes in quick succession may be told
// at the same time.
func WithOnChange(told func(Change)) Option {
	return optionFunc(func(cfg *config) error { cfg.onChange = told; return nil })
}
