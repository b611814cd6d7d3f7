package resilient

import (
	"fmt"
	"net/url"
	"reflect"
	"strconv"
)

// withParams adds parameters to a query and encodes it, sorted by name. Strings, booleans and numbers,
// and types made of them, become values; anything else is an error, since a
// silently dropped or oddly printed parameter asks for something else.
func withParams(query url.Values, params map[string]any) (string, error) {
	for name, param := range params {
		value, ok := simpleValue(reflect.ValueOf(param))
		if !ok {
			return "", fmt.Errorf("the parameter %q is a %T; use a string, a boolean or a number", name, param)
		}
		query.Set(name, value)
	}
	return query.Encode(), nil
}

func simpleValue(v reflect.Value) (string, bool) {
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), true
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()), true
	default:
		return "", false
	}
}
