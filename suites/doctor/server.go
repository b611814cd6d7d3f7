package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

// A Server is the fault server at the end of a path.
type Server interface {
	// Open opens a session that is found by the prefix /s/ID. It plays a one-line
	// script, whose last step is then repeated, so that whoever tries again meets the
	// same fault. The error matches ErrUnplayable where the server cannot play it.
	Open(ctx context.Context, script string) (Session, error)
}

// A Session is one script that is played, and its record.
type Session interface {
	ID() string
	// AwaitAttempts waits until so many attempts have arrived.
	AwaitAttempts(ctx context.Context, n int) error
	// Journal is the record once no attempt is in progress, or as it is after a
	// time.
	Journal(ctx context.Context, patience time.Duration) (faultserver.Journal, error)
	// Close ends the session.
	Close() error
}

// ErrUnplayable is matched by the error of a script that a server cannot play, on
// its platform for one.
var ErrUnplayable = errors.New("the server cannot play it")

// closeTime bounds how long the end of a session is waited for, over the network.
const closeTime = 2 * time.Second

// OverControl is the server whose control API a client calls.
func OverControl(api *client.Client) Server { return remote{api} }

type remote struct{ api *client.Client }

// Open implements Server.
func (r remote) Open(ctx context.Context, script string) (Session, error) {
	made, err := r.api.Create(ctx, client.NewSession{Script: script, AfterScript: string(faultserver.RepeatAfterScript), TTL: "5m"})
	if err != nil {
		var problem *client.Problem
		if errors.As(err, &problem) && problem.Status == http.StatusUnprocessableEntity {
			err = fmt.Errorf("%w: %w", ErrUnplayable, err)
		}
		return nil, err
	}
	return remoteSession{r.api, made.ID}, nil
}

type remoteSession struct {
	api *client.Client
	id  string
}

func (s remoteSession) ID() string { return s.id }

func (s remoteSession) AwaitAttempts(ctx context.Context, n int) error {
	_, err := s.api.Journal(ctx, s.id, client.Attempts(n))
	return err
}

func (s remoteSession) Journal(ctx context.Context, patience time.Duration) (faultserver.Journal, error) {
	journal, err := s.api.Journal(ctx, s.id, client.Quiet(), client.Within(patience))
	if client.IsNotInTime(err) {
		return s.api.Journal(ctx, s.id)
	}
	return journal, err
}

func (s remoteSession) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return s.api.Delete(ctx, s.id)
}

// OnHost is a server in this process.
func OnHost(host *faultserver.Host) Server { return &local{host: host} }

type local struct {
	host   *faultserver.Host
	opened atomic.Int64
}

// Open implements Server.
func (l *local) Open(_ context.Context, script string) (Session, error) {
	steps, err := faultserver.ParseScript(script)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnplayable, err)
	}
	config := faultserver.Config{Script: steps, AfterScript: faultserver.RepeatAfterScript}
	if err := config.Playable(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnplayable, err)
	}
	session, err := l.host.Open(fmt.Sprintf("doctor-%d", l.opened.Add(1)), config)
	if err != nil {
		return nil, err
	}
	return localSession{session}, nil
}

type localSession struct{ *faultserver.Session }

func (s localSession) Journal(ctx context.Context, patience time.Duration) (faultserver.Journal, error) {
	quiet, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.AwaitQuiet(quiet); ctx.Err() != nil || errors.Is(err, faultserver.ErrSessionClosed) {
		return faultserver.Journal{}, err
	}
	return s.Session.Journal(), nil
}
