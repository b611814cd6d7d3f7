// Package proxies makes calls through a proxy that retries, for the drivers of such
// proxies. A proxy cannot be told a policy by its caller: it is told by its
// configuration, so that each client has proxies of its own, one for each server
// that its calls go to, started with the first of them.
package proxies

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"time"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

// Program is a proxy that is installed.
type Program struct {
	// Command starts it in the foreground, with the configuration of ConfigFile in the
	// folder that it is started in. It has to end, with all that it has started, when
	// it is killed.
	Command []string
	// ConfigFile is the name of the file with the configuration.
	ConfigFile string
	// Config is the configuration by which it does what the setup asks, for one server.
	Config func(Site) (string, error)
	// LostHeader is a header of the answers that the proxy makes because it got none
	// that it could hand on.
	LostHeader string
}

// Site is what a proxy stands before.
type Site struct {
	kit.Setup

	// Socket is the path of the Unix socket, in the folder that the proxy is started in,
	// where it listens.
	Socket string
	// Server is the server's host:port.
	Server string
}

// AttemptTimeout is what an attempt may take; a minute, which is longer than any
// caller waits, where the policy has no such timeout.
func (s Site) AttemptTimeout() time.Duration {
	if timeout := s.Policy.Timeouts.Attempt.Duration; timeout != 0 {
		return timeout
	}
	return time.Minute
}

// Capabilities are those of every proxy here, and some more. Its caller finds two or
// three statuses where it has met many failures, and cannot tell these apart. It asks
// over TLS, but finds no IP address in a certificate, where calls go.
func Capabilities(more ...string) []string {
	return kit.Without(kit.Capabilities(more...), "error-kind", "tls")
}

// Version is what the pattern's group finds in what a command prints.
func Version(pattern string, command ...string) (string, error) {
	printed, err := exec.CommandContext(context.Background(), command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%v: %w", command, err)
	}
	found := regexp.MustCompile(pattern).FindSubmatch(printed)
	if found == nil {
		return "", fmt.Errorf("expected a version from %v, got %q", command, printed)
	}
	return string(found[1]), nil
}
