package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// thisProgram is the path of the file that this process runs, also where that
// was replaced or removed.
func thisProgram() (string, error) { return filepath.Join(processes, "self", "exe"), nil }

// strays are the trees of a family whose marks are not known: those that we were
// killed before we could tell of.
func strays(family string, known []*tree) []*tree {
	entries, err := os.ReadDir(processes)
	if err != nil {
		return nil
	}
	byMark := map[string]*tree{}
	for _, t := range known {
		byMark[t.mark] = nil
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		mark := familyMark(pid, family)
		before, seen := byMark[mark]
		p, runs := look(pid)
		if mark == "" || !runs || seen && (before == nil || before.since <= p.since) {
			continue
		}
		if root, err := os.FindProcess(pid); err == nil {
			byMark[mark] = &tree{mark: mark, root: root, group: p.group, since: p.since, found: map[int]uint64{}}
		}
	}
	var list []*tree
	for _, t := range byMark {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}

// familyMark is the mark of a family that a process has in its environment;
// empty for none.
func familyMark(pid int, family string) string {
	env, err := os.ReadFile(filepath.Join(processes, strconv.Itoa(pid), "environ"))
	if err != nil {
		return ""
	}
	for variable := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.HasPrefix(variable, []byte(RunVariable+"="+family+"-")) {
			return string(variable)
		}
	}
	return ""
}
