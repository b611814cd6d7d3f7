package main

import (
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/sony/gobreaker/v2"

	"github.com/faultsrv/faultsrv/resilient/breaker"
)

// Every breaker counts by the same rule: it would open when 10 calls or more of
// the last 10 s, counted in tenths, failed by half.
const (
	volume  = 10
	percent = 50
	window  = 10 * time.Second
	tenths  = window / 10
)

// errOpen is a breaker that opened, as none does whose calls all succeed.
var errOpen = errors.New("the breaker is open, expected it closed")

// An asked breaker is asked for leave, and told of a success.
type askedBreaker struct {
	name string
	ask  func() (call, error)
}

// breakers are all of them, ours first.
func breakers() []askedBreaker {
	return []askedBreaker{
		{"resilient/breaker Allow, Success", ourAllow},
		{"gobreaker v2 Allow, done", gobreakerAllow},
		{"gobreaker v2 Execute", gobreakerExecute},
		{"failsafe-go TryAcquire, Record", failsafeAcquire},
	}
}

func ourAllow() (call, error) {
	b, err := breaker.New(breaker.WithErrorRate(volume, percent, window))
	if err != nil {
		return nil, err
	}
	return func() (int, error) {
		permit, err := b.Allow()
		if err != nil {
			return 0, err
		}
		permit.Success()
		return 0, nil
	}, nil
}

func gobreakerSettings() gobreaker.Settings {
	return gobreaker.Settings{Interval: window, BucketPeriod: tenths, ReadyToTrip: func(c gobreaker.Counts) bool {
		return c.Requests >= volume && c.TotalFailures*100 >= c.Requests*percent
	}}
}

func gobreakerAllow() (call, error) {
	b := gobreaker.NewTwoStepCircuitBreaker[int](gobreakerSettings())
	return func() (int, error) {
		done, err := b.Allow()
		if err != nil {
			return 0, err
		}
		done(nil)
		return 0, nil
	}, nil
}

func gobreakerExecute() (call, error) {
	b := gobreaker.NewCircuitBreaker[int](gobreakerSettings())
	succeed := func() (int, error) { return 0, nil }
	return func() (int, error) { return b.Execute(succeed) }, nil
}

func failsafeAcquire() (call, error) {
	b := circuitbreaker.NewBuilder[int]().WithFailureRateThreshold(float64(percent)/100, volume, window).Build()
	return func() (int, error) {
		if !b.TryAcquirePermit() {
			return 0, errOpen
		}
		b.RecordSuccess()
		return 0, nil
	}, nil
}
