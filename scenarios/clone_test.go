package scenarios

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestClonedPolicySharesNothing fails for a field that Clone has forgotten: it
// walks both values and looks for a pointer or a slice that they share.
func TestClonedPolicySharesNothing(t *testing.T) {
	policy := Policy{
		Attempts: ptr(3),
		Backoff:  &Backoff{Constant: ptr(time.Second), Linear: ptr(time.Second), Exponential: ptr(time.Second)},
		Timeouts: &Timeouts{}, Methods: []string{"GET"}, Statuses: []int{503}, RetryAfterCap: ptr(time.Second),
		Breaker: &Breaker{}, Budget: &Budget{}, Hedge: &Hedge{},
	}
	copied := policy.Clone()
	if diff := cmp.Diff(policy, copied); diff != "" {
		t.Errorf("the copy differs:\n%s", diff)
	}
	var walk func(path string, a, b reflect.Value)
	walk = func(path string, a, b reflect.Value) {
		switch a.Kind() {
		case reflect.Struct:
			for i := range a.NumField() {
				walk(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
			}
		case reflect.Pointer, reflect.Slice:
			if a.IsNil() {
				t.Errorf("%s: not set; set it, so that the test sees whether it is shared", path)
				return
			}
			if a.Pointer() == b.Pointer() {
				t.Errorf("%s is shared", path)
			}
			if a.Kind() == reflect.Pointer {
				walk(path, a.Elem(), b.Elem())
			}
		}
	}
	walk("policy", reflect.ValueOf(policy), reflect.ValueOf(copied))
}
