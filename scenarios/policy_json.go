package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// In JSON a policy's durations are texts, as they are in YAML: "150ms". A bare
// number would leave its reader to guess the unit, and could not be put into a
// contract.

// MarshalJSON implements json.Marshaler.
func (p Policy) MarshalJSON() ([]byte, error) { return marshalSpelled(p) }

// UnmarshalJSON implements json.Unmarshaler. It refuses unknown keys.
func (p *Policy) UnmarshalJSON(text []byte) error { return unmarshalSpelled(text, p) }

// MarshalJSON implements json.Marshaler.
func (b Backoff) MarshalJSON() ([]byte, error) { return marshalSpelled(b) }

// UnmarshalJSON implements json.Unmarshaler. It refuses unknown keys.
func (b *Backoff) UnmarshalJSON(text []byte) error { return unmarshalSpelled(text, b) }

// MarshalJSON implements json.Marshaler.
func (t Timeouts) MarshalJSON() ([]byte, error) { return marshalSpelled(t) }

// UnmarshalJSON implements json.Unmarshaler. It refuses unknown keys.
func (t *Timeouts) UnmarshalJSON(text []byte) error { return unmarshalSpelled(text, t) }

// MarshalJSON implements json.Marshaler.
func (b Breaker) MarshalJSON() ([]byte, error) { return marshalSpelled(b) }

// UnmarshalJSON implements json.Unmarshaler. It refuses unknown keys.
func (b *Breaker) UnmarshalJSON(text []byte) error { return unmarshalSpelled(text, b) }

// MarshalJSON implements json.Marshaler.
func (h Hedge) MarshalJSON() ([]byte, error) { return marshalSpelled(h) }

// UnmarshalJSON implements json.Unmarshaler. It refuses unknown keys.
func (h *Hedge) UnmarshalJSON(text []byte) error { return unmarshalSpelled(text, h) }

// spelled is a duration that JSON has as a text.
type spelled time.Duration

// MarshalText implements encoding.TextMarshaler.
func (s spelled) MarshalText() ([]byte, error) {
	return []byte(faultserver.FormatDuration(time.Duration(s))), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *spelled) UnmarshalJSON(text []byte) error {
	var duration string
	if json.Unmarshal(text, &duration) != nil {
		return fmt.Errorf(`expected a duration as a text with its unit, such as "150ms"; got %s`, text)
	}
	parsed, err := faultserver.ParseDuration(duration)
	*s = spelled(parsed)
	return err
}

// spelling is a struct's type with each duration spelled.
func spelling(of reflect.Type) reflect.Type {
	fields := reflect.VisibleFields(of)
	for i, field := range fields {
		switch field.Type {
		case reflect.TypeFor[time.Duration]():
			fields[i].Type = reflect.TypeFor[spelled]()
		case reflect.TypeFor[*time.Duration]():
			fields[i].Type = reflect.TypeFor[*spelled]()
		}
	}
	return reflect.StructOf(fields)
}

// copyFields copies the fields of a struct to those of its spelling, or back.
func copyFields(to, from reflect.Value) {
	for i := range from.NumField() {
		to.Field(i).Set(from.Field(i).Convert(to.Field(i).Type()))
	}
}

func marshalSpelled(value any) ([]byte, error) {
	from := reflect.ValueOf(value)
	to := reflect.New(spelling(from.Type()))
	copyFields(to.Elem(), from)
	return json.Marshal(to.Interface())
}

func unmarshalSpelled(text []byte, into any) error {
	to := reflect.ValueOf(into).Elem()
	from := reflect.New(spelling(to.Type()))
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(from.Interface()); err != nil {
		return fmt.Errorf("%s: %s", strings.ToLower(to.Type().Name()), explained(err))
	}
	copyFields(to, from.Elem())
	return nil
}

// explained is a JSON error without the names of our types.
func explained(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return strings.TrimPrefix(fmt.Sprintf("%s: another type than JSON's %s is expected", mismatch.Field, mismatch.Value), ": ")
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
