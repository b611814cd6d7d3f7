package matrix

import (
	"errors"
	"fmt"

	"github.com/faultsrv/faultsrv/suites/service"
)

// CheckSideBySide says which entrants cannot be judged at the same time: services
// that need one address.
func CheckSideBySide(entrants []Entrant) error {
	var problems []error
	for i, one := range entrants {
		for _, other := range entrants[:i] {
			if one.service == nil || other.service == nil {
				continue
			}
			if address := service.Shared(*other.service, *one.service); address != "" {
				problems = append(problems, fmt.Errorf("%s and %s both need %s: expected an address of its own for each service that is judged beside others; "+
					"give one of them another, or judge one after another with --side-by-side 1", other.Name, one.Name, address))
			}
		}
	}
	return errors.Join(problems...)
}
