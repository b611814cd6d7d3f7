package proxies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// running is a proxy that was started.
type running struct {
	dir    string
	cmd    *exec.Cmd
	kill   context.CancelFunc
	output bytes.Buffer
	ended  chan struct{}
	http   *http.Transport
}

// socketName is the name of the socket in the proxy's folder.
const socketName = "socket"

// patience is how long a proxy may take until it listens: nginx took 4 ms, HAProxy 25 ms
// (medians of 15 on a busy machine).
const patience = 30 * time.Second

func (p Program) start(site Site) (_ *running, err error) {
	r := &running{ended: make(chan struct{})}
	if r.dir, err = os.MkdirTemp("", "proxy"); err != nil {
		return nil, err
	}
	config, err := p.Config(site)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, p.ConfigFile), []byte(config), 0o600)
	}
	if err == nil {
		err = r.run(p.Command)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	socket := filepath.Join(r.dir, site.Socket)
	if err := r.await(socket); err != nil {
		r.close()
		return nil, err
	}
	r.http = &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
		DisableKeepAlives: true, DisableCompression: true,
	}
	return r, nil
}

func (r *running) run(command []string) error {
	ctx, kill := context.WithCancel(context.Background())
	r.cmd, r.kill = exec.CommandContext(ctx, command[0], command[1:]...), kill
	r.cmd.Dir = r.dir
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	if err := r.cmd.Start(); err != nil {
		kill()
		return err
	}
	go func() {
		defer close(r.ended)
		r.cmd.Wait() //nolint:errcheck // it is killed, and what it wrote tells what else ended it
	}()
	return nil
}

// await waits until the proxy accepts connections. There is nothing to wait for but
// that, so it is asked again and again.
func (r *running) await(socket string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-r.ended:
			return fmt.Errorf("%s has ended before it listened: %s", r.cmd.Path, &r.output)
		case <-ctx.Done():
			return fmt.Errorf("expected %s to listen within %v: %w", r.cmd.Path, patience, err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (r *running) close() {
	r.kill()
	<-r.ended
	if err := os.RemoveAll(r.dir); err != nil {
		fmt.Fprintln(os.Stderr, "remove what the proxy wrote:", err)
	}
}
