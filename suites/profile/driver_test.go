package profile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

// beDriver makes the test binary a driver that says hello and hears the rest.
const beDriver = "be-a-driver"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == beDriver {
		fmt.Println(`{"type": "hello", "protocol": 1, "client": {"name": "its own name", "version": "4.2"}, "capabilities": ["retry", "cancel", "parallel"]}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestADriversProfile(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// By a path in the profile's folder, as a driver that comes with its profile.
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "driver")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "profile.yaml")
	text := "kind: driver\nname: mine\ncommand: [./driver, " + beDriver + "]\ncannot: [cancel]\npromises: {attempts: 2}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	client, err := p.Open(t.Context(), Options{Rerun: []string{"again"}})
	if err != nil {
		t.Fatal(err)
	}
	known := client.Profile()
	if known.Name != "mine" || known.Version != "4.2" || known.Kind != "driver" || known.Promises == nil || len(known.Rerun) != 1 ||
		known.Can(scenarios.CanCancel) || !known.Can(scenarios.CanRetry) {
		t.Errorf("got %+v", known)
	}
	if notes := strings.Join(client.Notes(), "\n"); !strings.Contains(notes, "not cancel: its profile says that it cannot") {
		t.Errorf("notes:\n%s", notes)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}
