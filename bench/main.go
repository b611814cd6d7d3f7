package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses: 1 a contender failed at what it was asked, 2 wrong usage.
const (
	statusFailed = 1
	statusUsage  = 2
)

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 100, "how many rounds of each table: each contender has one spell in each")
	lasts := flags.Duration("spell", 2*time.Millisecond, "how long a contender is measured at a time")
	only := flags.String("only", "", "print only the tables whose title has this `text` in it")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return statusUsage
	case flags.NArg() > 0 || *rounds < 1 || *lasts <= 0:
		_, _ = fmt.Fprintf(stderr, "bench: expected no arguments, 1 round or more and a spell above 0; got %q, %d and %v; see -help\n", flags.Args(), *rounds, *lasts)
		return statusUsage
	}
	if err := report(stdout, *rounds, *lasts, *only); err != nil {
		_, _ = fmt.Fprintln(stderr, "bench:", err)
		return statusFailed
	}
	return 0
}

// report prints the tables.
func report(w io.Writer, rounds int, lasts time.Duration, only string) error {
	if err := head(w, rounds, lasts); err != nil {
		return err
	}
	printed := 0
	for _, s := range scenarios() {
		if !strings.Contains(s.title, only) {
			continue
		}
		printed++
		if err := clientTable(w, s, rounds, spell{lasts: lasts, goroutines: 1}); err != nil {
			return fmt.Errorf("%s, %s: %w", s.title, s.layer, err)
		}
	}
	if strings.Contains(breakerTitle, only) {
		for _, goroutines := range []int{1, 4 * runtime.GOMAXPROCS(0)} {
			printed++
			if err := breakerTable(w, rounds, spell{lasts: lasts, goroutines: goroutines}); err != nil {
				return err
			}
		}
	}
	if printed == 0 {
		return fmt.Errorf("no table's title has %q in it; -only takes a part of one", only)
	}
	return nil
}

// compared are the modules whose versions the report names.
var compared = []string{
	"github.com/failsafe-go/failsafe-go", "github.com/gojek/heimdall/v7", "github.com/hashicorp/go-retryablehttp",
	"github.com/go-resty/resty/v2", "resty.dev/v3", "github.com/sony/gobreaker/v2",
}

// head says what is compared, and how to read it.
func head(w io.Writer, rounds int, lasts time.Duration) error {
	versions := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range compared {
			for _, dep := range build.Deps {
				if dep.Path == module {
					versions = append(versions, dep.Path+" "+dep.Version)
				}
			}
		}
	}
	_, err := fmt.Fprintf(w, `%s
%d rounds, %v a spell. Medians; a ratio is of two spells of one round, with the quartiles of all rounds in
parentheses. What disturbs a spell only ever adds time: "at best" is the least of the rounds, and "over bare" is of two of these.
`, strings.Join(versions, "\n"), rounds, lasts)
	return err
}
