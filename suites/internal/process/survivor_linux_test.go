package process

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatWeCouldNotTellOfEndsToo(t *testing.T) {
	t.Parallel()
	r := gather(t, "parent killed before it could tell", rootAndChildren())
	r.parent.Process.Kill()
	r.end(t)
}

// survivors is how many there are of a family.
func survivors(t *testing.T, family string) int {
	t.Helper()
	lines, err := filepath.Glob(filepath.Join(processes, "[0-9]*", "cmdline"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range lines {
		// One that has ended since has no line.
		if line, err := os.ReadFile(file); err == nil && string(line) == survivorName+"\x00"+family+"\x00" {
			found++
		}
	}
	return found
}

func TestTheSurvivorEndsWithUs(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0], "parent that ends in order", "")
	word, err := parent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	family, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	family = strings.TrimSpace(family)
	if n := survivors(t, family); n != 1 {
		t.Errorf("%d survivors of a process that runs, want 1", n)
	}
	word.Close()
	if err := parent.Wait(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); survivors(t, family) != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it still runs %v after its parent has ended", patience)
		}
	}
}

// A process id is given again some day.
func TestAGroupThatIsAnothersIsLeftAlone(t *testing.T) {
	t.Parallel()
	pid := os.Getpid()
	if list := inherited(map[int]*tree{pid: {group: pid, since: startOf(pid) + 1}}); len(list) != 0 {
		t.Errorf("%+v was taken for a command that was started sooner", list[0])
	}
	if list := inherited(map[int]*tree{pid: {group: pid, since: startOf(pid)}}); len(list) != 1 {
		t.Error("a group was not recognized")
	}
}
