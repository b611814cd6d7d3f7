package scenarios_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// garden is a format of another package.
type garden struct {
	Name    string                      `yaml:"name"`
	Soil    soil                        `yaml:"soil"`
	Beds    map[string]bed              `yaml:"beds"`
	Exits   map[int]scenarios.ErrorKind `yaml:"exits"`
	Headers faultserver.Headers         `yaml:"headers"`
	Wait    time.Duration               `yaml:"wait"`
	Rows    int                         `yaml:"rows" bounds:"1..9"`
	Fence   *fence                      `yaml:"fence"`
}

// fence can be written as its height alone.
type fence struct {
	Height string `yaml:"height"`
	Color  string `yaml:"color"`
}

func (f *fence) Shorten(word string) error {
	if f.Height = word; word == "none" {
		return errors.New("expected a height, such as 2m; got none")
	}
	return nil
}

type bed struct {
	Plants []string `yaml:"plants"`
}

type soil string

func (soil) Words() []string { return []string{"clay", "sand"} }

func TestDecodeStrict(t *testing.T) {
	t.Parallel()
	const text = `name: 010
soil: sand
beds: {north: {plants: [a, b]}, south: {}}
exits: {7: connect, 28: timeout}
headers: {Accept: [x, y]}
wait: 1m30s
rows: 3
fence: 2m
`
	var got garden
	source, err := scenarios.DecodeStrict("garden.yaml", []byte(text), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := garden{
		Name: "010", Soil: "sand", Wait: 90 * time.Second, Rows: 3,
		Fence:   &fence{Height: "2m"},
		Beds:    map[string]bed{"north": {Plants: []string{"a", "b"}}, "south": {}},
		Exits:   map[int]scenarios.ErrorKind{7: scenarios.ErrConnect, 28: scenarios.ErrTimeout},
		Headers: faultserver.Headers{{Name: "Accept", Value: "x"}, {Name: "Accept", Value: "y"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for path, place := range map[string]string{
		"beds.north.plants[1]": "garden.yaml:3:28: beds.north.plants[1]: too tall",
		"exits.28":             "garden.yaml:4:25: exits.28: too tall",
		"beds.west.plants":     "garden.yaml:3:7: beds.west.plants: too tall",
		"":                     "garden.yaml:1:1: too tall",
	} {
		if problem := source.Problem(path, "too %s", "tall").Error(); !strings.HasPrefix(problem, place+"\n") {
			t.Errorf("a problem at %q says %q; want %q", path, problem, place)
		}
	}
}

func TestDecodeStrictSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"nmae: x\nsoil: snad\nrows: 10\n": {
			`garden.yaml:1:1: nmae: unknown key "nmae"; did you mean "name"?`,
			`garden.yaml:2:7: soil: unknown word "snad"; did you mean "sand"?`,
			`garden.yaml:3:7: rows: expected a number from 1 to 9; got 10`,
		},
		"exits: {seven: connect, 28: timeuot}\n": {
			`garden.yaml:1:9: exits.seven: expected a whole number, such as 3; got seven`,
			`garden.yaml:1:29: exits.28: unknown word "timeuot"; did you mean "timeout"?`,
		},
		"fence: none\n":                  {`garden.yaml:1:8: fence: expected a height, such as 2m; got none`},
		"fence: {hieght: 2m}\n":          {`unknown key "hieght"; did you mean "height"?`},
		"fence: [2m]\n":                  {`fence: expected a mapping with the keys height, color; got a list`},
		"beds: [north]\n":                {`beds: expected a mapping of a text to a mapping with the keys plants; got a list`},
		"name: &x a\nsoil: *x\n":         {`an anchor (&x) is not part`, `an alias (*x) is not part`},
		"name: a\nname: b\n":             {`the key "name" is there twice`},
		"- name\n":                       {`expected a mapping with the keys name, soil,`},
		"name: a\n---\nname: b\n":        {`expected one YAML document; got several`},
		"---\n---\nname: b\n":            {`expected one YAML document; got several`},
		"":                               {`garden.yaml: the file is empty`},
		"# nothing\n":                    {`the file is empty`},
		"name: [\n":                      {`not YAML: `},
		"name: \xff\n":                   {`expected text in UTF-8`},
		strings.Repeat("#", 1<<20) + "#": {`a file has at most 1048576 bytes`},
	} {
		var got garden
		_, err := scenarios.DecodeStrict("garden.yaml", []byte(text), &got)
		var problems scenarios.Problems
		if !errors.As(err, &problems) || len(problems) != len(want) {
			t.Errorf("%.60q: want %d problems, got: %v", text, len(want), err)
			continue
		}
		for i, problem := range problems {
			if !strings.Contains(problem.Error(), want[i]) {
				t.Errorf("%.60q: want %q, got: %v", text, want[i], problem)
			}
		}
	}
	if _, err := scenarios.DecodeStrict("garden.yaml", []byte("name: a\n"), garden{}); err == nil {
		t.Error("read into what is no pointer")
	}
}

func TestPeek(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kind: exec\nname: x\n": "exec", "name: kind\n": "", "kind: [exec]\n": "", "kind: {": "", "": "", "- kind\n": "",
		"deep: {kind: exec}\n": "",
	} {
		if got := scenarios.Peek([]byte(text), "kind"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzDecodeStrict looks for a file that makes the decoder panic, or gives an
// error that is no list of problems.
func FuzzDecodeStrict(f *testing.F) {
	f.Add([]byte("name: a\nbeds: {north: {plants: [a]}}\nexits: {7: connect}\nheaders: {A: b}\nwait: 1s\n"))
	f.Add([]byte("{*a : b, ? [c] : d}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got garden
		_, err := scenarios.DecodeStrict("fuzzed.yaml", data, &got)
		var problems scenarios.Problems
		if err != nil && (!errors.As(err, &problems) || problems.Error() == "") {
			t.Fatalf("an error without problems: %v", err)
		}
		scenarios.Peek(data, "kind")
	})
}
