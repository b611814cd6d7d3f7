package scenarios_test

import (
	"math"
	"testing"
	"time"
)

func TestTakes(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		lines string
		want  time.Duration
	}{
		{"script: [succeed]", 40 * ms}, // the watch: twice 20 ms
		{"script: [{respond: 503}, succeed]\nwatch: 0s", 20 * ms},
		{"script: [{respond: 404}, succeed]\nwatch: 0s", 0},
		{"script: [{respond: 503, times: forever}]\nwatch: 0s\npolicy: {backoff: {linear: 1s}}", 3 * second},
		{"script: [{respond: 503, times: forever}]\nwatch: 0s\npolicy: {attempts: 1, backoff: {linear: 1s}}", 0},
		{"script: [{respond: 503}, {respond: 503}, succeed]\nwatch: 0s\npolicy: {attempts: 9, backoff: {constant: 1s}}", 2 * second},
		{"script: [{succeed: {}, delay: 1s}]\nwatch: 1s", 2 * second},
		{"script: [{succeed: {}, delay: {uniform: {min: 1s, max: 2s}}}]\nwatch: 0s", 2 * second},
		{"script: [{succeed: {}, delay: {normal: {mean: 1s}}}]\nwatch: 0s", 10 * second},
		{"script: [{succeed: {}, delay: {until: {event: started}, max: 3s}}]\nwatch: 0s", 3 * second},
		{"script: [{stall: {}}]\nwatch: 0s", 60*second + 20*ms},
		{"script: [{stall: 2s}, succeed]\nwatch: 0s", 2*second + 20*ms},
		{"script: [{stall: {}}, succeed]\nwatch: 0s\npolicy: {timeouts: {attempt: 500ms}}", 520 * ms},
		{"script: [{stall: {}}, succeed]\nwatch: 0s\npolicy: {timeouts: {total: 700ms}}", 700 * ms},
		{"script: [{truncate: {after: 1, end: stall}}]\nwatch: 0s\ncalls: [{timeout: 3s}]", 3 * second},
		{"connections: [{accept-hang: 1s}, pass]\nscript: [succeed]\nwatch: 0s", second + 20*ms},
		{"script: [{respond: {status: 503, retry-after: 2}}, succeed]\nwatch: 0s", 2 * second},
		{"script: [{respond: {status: 503, retry-after: {date: +2s}}}, succeed]\nwatch: 0s", 3 * second},
		{"script: [{respond: {status: 503, retry-after: {date: -2s}}}, succeed]\nwatch: 0s", second + 20*ms},
		{"script: [{respond: {status: 503, retry-after: 3600}}, succeed]\nwatch: 0s\npolicy: {retry-after-cap: 1s}", second},
		{"script: [{respond: {status: 503, headers: {Retry-After: 99999999999999999999}}}, succeed]\nwatch: 0s", math.MaxInt64},
		{"script: [{redirect: {retry-after: 1}}, succeed]\nwatch: 0s", second},
		{"script: [{redirect: 307}, succeed]\nwatch: 0s", 0},
		{"script: [{dribble: {every: 1s, bytes: 512, answer: {body: {size: 512}}}}]\nwatch: 0s", 2 * second},
		{"script: [{slow-read: {after: 1s}}]\nwatch: 0s\ncalls: [{method: PUT, body: {size: 10KiB}}]", 2 * second},
		{"script: [{bandwidth: {rate: 1KiB, way: up}}]\nwatch: 0s\npolicy: {timeouts: {attempt: 3s}}\ncalls: [{method: PUT, body: {size: 1MiB}}]", 3 * second},
		{"script: [{throttle: {rate: 1, per: 2s}}]\nwatch: 0s", 4 * second},
		{"script: [{capacity: {rate: 1, full: delay}}]\nwatch: 0s\npolicy: {attempts: 1}", 60 * second},
		{"script: [stall]\nwatch: 1s\ncalls: [{cancel: {attempt: 1, event: arrived, plus: 100ms}}]", 1100 * ms},
		{"script: [{respond: 503, times: 9}]\nwatch: 0s\npolicy: {backoff: {constant: 2s}}\ncalls: [{cancel: {attempt: 2, plus: 100ms}}]", 2100 * ms},
		{"script: [{succeed: {}, delay: 1s, times: forever}]\nwatch: 0s\ncalls: [{repeat: 5, parallel: 2}]", 3 * second},
		{"script: [{succeed: {}, delay: 1s, times: 2}]\nwatch: 0s\ncalls: [{name: a}, {name: b, after: {call: a, plus: 500ms}}]", 2500 * ms},
	} {
		if got := parseOne(t, test.lines).Takes(); got != test.want {
			t.Errorf("%s\n  takes %v, want %v", test.lines, got, test.want)
		}
	}
}
