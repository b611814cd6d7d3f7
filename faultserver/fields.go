package faultserver

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// owning is the notation of an act that has settings of its own: describe
// returns its parameters, with settings that read into the act and write from it.
func owning[A Act](describe func(*A) parameters) notation {
	var zero A
	return notation{zero, func() parameters {
		act := new(A)
		p := describe(act)
		p.make = func(read parameters) Act {
			if read.ownAnswer != nil {
				*read.ownAnswer = read.answer
			}
			return *act
		}
		return p
	}}
}

// described are the parameters of an act with settings of its own, and perhaps
// an answer, nil for none. The first setting is the one whose key may be left out.
func described(answer *Answer, own ...setting) parameters {
	p := parameters{own: own, ownAnswer: answer}
	if len(own) > 0 {
		p.positional = own[0].key
	}
	if answer != nil {
		p.answer, p.takes = *answer, answerParameters
	}
	return p
}

func durationField(key string, field *time.Duration) setting {
	return setting{key: key, read: func(_ *draft, value string) (err error) {
		*field, err = ParseDuration(value)
		return err
	}, write: func(*draft) (string, bool) { return FormatDuration(*field), *field != 0 }}
}

func sizeField(key string, field *Size) setting {
	return setting{key: key, read: func(_ *draft, value string) (err error) {
		*field, err = ParseSize(value)
		return err
	}, write: func(*draft) (string, bool) { return field.String(), *field != 0 }}
}

func countField(key string, field *int) setting {
	return setting{key: key, read: func(_ *draft, value string) (err error) {
		if !isWholeNumber(value) {
			return fmt.Errorf("%q; want a whole number", value)
		}
		*field, err = strconv.Atoi(value)
		return err
	}, write: func(*draft) (string, bool) { return strconv.Itoa(*field), *field != 0 }}
}

// shareField is a number from 0 to 1, nil where it is not given.
func shareField(key string, field **float64) setting {
	return setting{key: key, read: func(_ *draft, value string) error {
		share, err := strconv.ParseFloat(value, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return fmt.Errorf("%q; want a number from 0 to 1", value)
		}
		*field = &share
		return nil
	}, write: func(*draft) (string, bool) {
		if *field == nil {
			return "", false
		}
		return strconv.FormatFloat(**field, 'f', -1, 64), true
	}}
}

func wordField[T ~string](key string, field *T, words ...T) setting {
	return setting{key: key, read: func(_ *draft, value string) error {
		return readWord(field, value, words...)
	}, write: func(*draft) (string, bool) { return string(*field), *field != "" }}
}

// textField is a value with a text form of its own; its zero value is not said.
func textField[T any, P interface {
	*T
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}](key string, field P) setting {
	return setting{key: key, read: func(_ *draft, value string) error {
		if value == "" {
			return errors.New("it is empty; leave the key out, or say a value")
		}
		return field.UnmarshalText([]byte(value))
	}, write: func(*draft) (string, bool) {
		text, err := field.MarshalText()
		return string(text), err == nil && !reflect.ValueOf(*field).IsZero()
	}}
}
