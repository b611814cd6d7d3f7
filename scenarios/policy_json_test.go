package scenarios

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every field is said, so that none is forgotten in either direction.
func TestAPolicyInJSONSpellsItsDurations(t *testing.T) {
	t.Parallel()
	policy := Policy{
		Attempts: ptr(3),
		Backoff: &Backoff{
			Constant: ptr(time.Duration(0)), Linear: ptr(150 * time.Millisecond), Exponential: ptr(time.Second),
			Factor: 1.5, Max: time.Minute, Jitter: FullJitter,
		},
		Timeouts: &Timeouts{Attempt: time.Second, Total: 90 * time.Second},
		Methods:  []string{"GET"}, Statuses: []int{503},
		RetryAfterCap: ptr(time.Microsecond),
		Breaker:       &Breaker{Failures: 5, Open: 300 * time.Millisecond, Probes: 1},
		Budget:        &Budget{Ratio: 0.1, Reserve: 10},
		Hedge:         &Hedge{Delay: 20 * time.Millisecond, Max: 1},
	}
	const want = `{"attempts":3,"backoff":{"constant":"0s","linear":"150ms","exponential":"1s","factor":1.5,"max":"1m0s","jitter":"full"},` +
		`"timeouts":{"attempt":"1s","total":"1m30s"},"methods":["GET"],"statuses":[503],"retry_after_cap":"1us",` +
		`"breaker":{"failures":5,"open":"300ms","probes":1},"budget":{"ratio":0.1,"reserve":10},"hedge":{"delay":"20ms","max":1}}`
	text, err := json.Marshal(policy)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	var back Policy
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if difference := cmp.Diff(policy, back); difference != "" {
		t.Errorf("read back it is another (-written +read):\n%s", difference)
	}
	if text, err := json.Marshal(Policy{}); err != nil || string(text) != "{}" {
		t.Errorf("a policy that says nothing is %s (%v), want {}", text, err)
	}
}

func TestAPolicyInJSONSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"backoff":{"constant":150}}`:        `policy: backoff: expected a duration as a text with its unit, such as "150ms"; got 150`,
		`{"backoff":{"constant":"150"}}`:      `policy: backoff: duration "150": "" is no unit`,
		`{"timeouts":{"attempt":"-1s"}}`:      `policy: timeouts: duration "-1s": a time cannot be negative`,
		`{"hedge":{"delay":"1s","most":2}}`:   `policy: hedge: unknown field "most"`,
		`{"breaker":{"open":true}}`:           `policy: breaker: expected a duration as a text`,
		`{"retry_after_cap":"1s","tries":3}`:  `policy: unknown field "tries"`,
		`{"attempts":"3"}`:                    `policy: attempts: another type than JSON's string is expected`,
		`{"budget":{"ratio":0.1},"hedge":[]}`: `policy: hedge: another type than JSON's array is expected`,
	} {
		var policy Policy
		if err := json.Unmarshal([]byte(text), &policy); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", text, err, want)
		}
	}
}
