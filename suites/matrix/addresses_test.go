package matrix

import (
	"strings"
	"testing"
)

func TestServicesThatShareAnAddressAreTold(t *testing.T) {
	t.Parallel()
	service := func(name, upstream, trigger, ready string) string {
		return "kind: service\nname: " + name + "\nupstreams: {up: {listen: \"" + upstream + "\"}}\ntrigger: {url: \"" + trigger +
			"\"}\nready: {url: \"" + ready + "\"}\npolicy: {attempts: 1}\n"
	}
	for name, test := range map[string]struct{ upstream, trigger, ready, want string }{
		"nothing":                  {"127.0.0.1:11", "http://127.0.0.1:12/", "http://127.0.0.1:13/", ""},
		"the upstream's":           {"127.0.0.1:1", "http://127.0.0.1:12/", "http://127.0.0.1:13/", "a and b both need 127.0.0.1:1: "},
		"an upstream's everywhere": {"0.0.0.0:1", "http://127.0.0.1:12/", "http://127.0.0.1:13/", "a and b both need 127.0.0.1:1: "},
		"its own":                  {"127.0.0.1:11", "http://localhost:2/x", "http://127.0.0.1:13/", "a and b both need 127.0.0.1:2: "},
		"its own, by no port":      {"127.0.0.1:11", "http://127.0.0.1:12/", "http://127.0.0.1/", "a and b both need 127.0.0.1:80: "},
		"another host's":           {"127.0.0.2:1", "http://127.0.0.1:12/", "http://127.0.0.1:13/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := Find(folder(t, map[string]string{
				"a/profile.yaml": service("a", "127.0.0.1:1", "http://127.0.0.1:2/", "http://127.0.0.1:80/"),
				"b/profile.yaml": service("b", test.upstream, test.trigger, test.ready),
			}))
			if err != nil {
				t.Fatal(err)
			}
			err = CheckSideBySide(found)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
