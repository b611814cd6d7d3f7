package scenarios

import (
	"fmt"
	"reflect"

	"github.com/faultsrv/faultsrv/faultserver"
)

func parseScript(line string) ([]faultserver.Step, error) {
	if form, ok := acts[line]; ok {
		return []faultserver.Step{{Act: reflect.New(form.parameters).Elem().Interface().(faultserver.Act)}}, nil
	}
	return nil, fmt.Errorf("not readable yet: %s", line)
}
