package profile

import (
	"context"
	"fmt"

	"github.com/faultsrv/faultsrv/suites/driver"
)

// Check tells what is wrong with the profile's driver, started as a run would
// start it; see [driver.Check]. What a client of another kind says cannot be
// checked.
func (p Profile) Check(ctx context.Context, options Options) (driver.Report, error) {
	if p.Kind != Driver {
		return driver.Report{}, fmt.Errorf("profile %s: expected the kind %s, got %s: only a driver says what it can", p.Name, Driver, p.Kind)
	}
	return driver.Check(ctx, p.Command, driver.Options{CallTimeout: options.CallTimeout, Dir: p.dir})
}
