package main

import (
	"context"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/profile"
	"github.com/faultsrv/faultsrv/suites/service"
)

// isService tells the file of a service's profile, which goes with a command that
// starts the service, from any other client. A file that cannot be read is for
// whoever reads it to report.
func isService(name string) bool {
	if !isFile(name) {
		return false
	}
	data, err := scenarios.ReadFile(name)
	return err == nil && scenarios.Peek(data, "kind") == string(service.KindService)
}

// openService starts a service by its command, or finds it running where there is
// none, so that it can be judged.
func openService(ctx context.Context, file string, command []string, callTimeout time.Duration) (profile.Client, error) {
	p, err := service.Load(file)
	if err != nil {
		return nil, err
	}
	subject, err := service.Start(ctx, p, command, service.Options{CallTimeout: callTimeout})
	if err != nil {
		return nil, couldNotRun(err)
	}
	return subject, nil
}

// onlyJudged says that a service is known by judging it alone.
func onlyJudged(file string) error {
	return fmt.Errorf("%s is the profile of a service, which has to be started to be known: `faultsrv test --client %s -- COMMAND…` starts, judges and ends it", file, file)
}
