package faultserver_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// inUse is how many bytes of heap and stacks are in use.
func inUse() int64 {
	for range 3 { // finalizers, pools, and stacks that are made smaller one step a time
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestMemoryOfStalledConnections holds a stalled connection, its journal entry and
// what net keeps of both its ends, to 10 KiB. (Measured at 1,000 and at 10,000:
// 7.1 KiB without the client's end, of which the stack has 4.)
func TestMemoryOfStalledConnections(t *testing.T) {
	const connections = 1000
	most := int64(10 << 10)
	if raceDetector { // whose frames are larger: 11.9 KiB
		most *= 2
	}
	s := open(t, faultserver.Config{Script: script("stall:forever"), Observe: func(a faultserver.Attempt) { _ = fmt.Sprint(a) }})
	before := inUse()
	for i := range connections {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := fmt.Fprintf(c, "GET /orders/%d HTTP/1.1\r\nHost: x\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n", i); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	eventually(t, s, "every connection stalls", func(j faultserver.Journal) bool {
		return len(j.Attempts) == connections && allMet(j)
	})
	each := (inUse() - before) / connections
	t.Logf("%d bytes a connection", each)
	if each > most {
		t.Errorf("a stalled connection takes %d bytes of heap and stack; want at most %d", each, most)
	}
}

func allMet(j faultserver.Journal) bool {
	for _, a := range j.Attempts {
		if !a.Met {
			return false
		}
	}
	return true
}

// TestMemoryOfManyAttempts holds a session's memory to its journal's bound, and its
// counts to what was really asked.
func TestMemoryOfManyAttempts(t *testing.T) {
	const kept, clients, growth = 1000, 8, 4 << 20
	each := 25_000
	if raceDetector { // which makes it take 14 s
		each /= 10
	}
	s := open(t, faultserver.Config{Script: script("503,200"), AfterScript: faultserver.LoopAfterScript, MaxAttempts: kept})
	askMany(t, s, clients, kept)
	before := inUse()
	askMany(t, s, clients, each)
	grown := inUse() - before
	t.Logf("%d attempts took %d bytes", clients*each, grown)
	if grown > growth {
		t.Errorf("%d attempts beyond the journal's bound took %d bytes; want at most %d", clients*each, grown, growth)
	}
	total := clients * (kept + each)
	steps, served := s.Script()
	if got := s.Attempts(); got != total || served[0]+served[1] != total || served[0] != served[1] {
		t.Errorf("%d attempts were made; got %d, of which the steps %v took %v", total, got, steps, served)
	}
	if j := s.Journal(); len(j.Attempts) != kept || j.Dropped != total-kept {
		t.Errorf("the journal holds %d attempts and has dropped %d; want %d and %d", len(j.Attempts), j.Dropped, kept, total-kept)
	}
}

// askMany has clients make so many requests each, on a connection of their own,
// sixteen on their way at a time.
func askMany(t *testing.T, s *faultserver.Session, clients, each int) {
	t.Helper()
	const ahead = 16
	done := make(chan error, clients)
	for range clients {
		p := dial(t, s.URL())
		go func() {
			defer p.Close()
			for asked := 0; asked < each; asked += ahead {
				n := min(ahead, each-asked)
				p.say(strings.Repeat(get("/"), n))
				for range n {
					if status := p.status(); status != 200 && status != 503 {
						done <- fmt.Errorf("status %d", status)
						return
					}
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsDroppedIsNotHeld has heads that the journal has no room for be gone with
// their attempts, though the records of attempts are made together.
func TestWhatIsDroppedIsNotHeld(t *testing.T) {
	const large, most = 900 << 10, 4 << 20
	steps := script("503")
	steps[0].Commit = faultserver.CommitByKey
	s := open(t, faultserver.Config{Script: steps, AfterScript: faultserver.RepeatAfterScript, MaxAttempts: 1})
	p := dial(t, s.URL())
	asked := 0
	ask := func(padding int) {
		asked++
		p.say(fmt.Sprintf("GET / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: %d%s\r\n\r\n", asked, strings.Repeat("a", padding)))
		if status := p.status(); status != 503 {
			t.Fatalf("the status %d; want 503", status)
		}
	}
	ask(1)
	before := inUse()
	for range 40 {
		ask(large)
	}
	if grown := inUse() - before; grown > most {
		t.Errorf("40 heads of %d bytes, which the journal has not, hold %d bytes; want at most %d", large, grown, most)
	}
	if journal := s.Journal(); journal.Dropped != 40 || journal.Effects != 41 {
		t.Errorf("%d dropped, %d effects; want 40 and 41", journal.Dropped, journal.Effects)
	}
}

// TestABodyTooLongToCompressIsRefusedBeforeItIs has whoever sends a script cost no
// memory that the script will not get.
func TestABodyTooLongToCompressIsRefusedBeforeItIs(t *testing.T) {
	for _, line := range []string{"200:body=64MiB:gzip", "truncate@500:body=64MiB:gzip", "truncate:body=64MiB:cut=before-last-crlf:framing=chunked:gzip"} {
		steps := script(line)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := faultserver.ValidateScript(steps)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "at most 16MiB") {
			t.Errorf("%s: %v; want it refused", line, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: it took %d bytes to refuse it", line, took)
		}
	}
}
