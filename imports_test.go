package faultsrv_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/faultsrv/faultsrv"

// platforms are the ones that everything compiles for. The lists are asserted
// on each: a file for one platform may import what no other does.
var platforms = []string{"linux", "darwin", "windows"}

// room is what one package may import.
type room struct {
	// ours are the packages of this module that it may import itself.
	ours []string
	// modules are those that importing it may add to a consumer's build, with
	// everything that it pulls in: the price of the import.
	modules []string
}

var (
	sys    = []string{"golang.org/x/sys"}
	yaml   = with(sys, "go.yaml.in/yaml/v4")
	schema = with(yaml,
		"github.com/invopop/jsonschema", "github.com/bahlo/generic-list-go", "github.com/buger/jsonparser",
		"github.com/pb33f/ordered-map/v2")
	gomega = with(yaml,
		"github.com/onsi/gomega", "github.com/google/go-cmp", "go.yaml.in/yaml/v3", "golang.org/x/net", "golang.org/x/text")
	ginkgo = with(gomega,
		"github.com/onsi/ginkgo/v2", "github.com/Masterminds/semver/v3", "github.com/go-logr/logr",
		"golang.org/x/mod", "golang.org/x/sync", "golang.org/x/tools")
	service = with(sys,
		"github.com/gorilla/mux", "github.com/prometheus/client_golang", "github.com/prometheus/client_model",
		"github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/beorn7/perks",
		"github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg", "google.golang.org/protobuf", "go.yaml.in/yaml/v2")
	command = with(with(yaml, service...),
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/inconshreveable/mousetrap", "golang.org/x/term")

	words     = []string{"internal/nearest"}
	contracts = []string{"faultserver", "scenarios"}
	client    = with(contracts, "suites")
	judging   = with(contracts, "assertions", "reports", "suites")
)

// rooms has one entry for each package, by its folder: none may be missing and
// none may be there that is not a package.
var rooms = map[string]room{
	"":                          {},
	"internal/nearest":          {},
	"internal/vacant":           {}, // for tests
	"faultserver":               {ours: words, modules: sys},
	"scenarios":                 {ours: with(words, "faultserver"), modules: yaml},
	"scenarios/schema":          {},
	"scenarios/schema/generate": {ours: contracts, modules: schema},
	"assertions":                {ours: contracts, modules: yaml},
	"assertions/matchers":       {ours: with(contracts, "assertions"), modules: gomega},
	"resilient":                 {},
	"resilient/breaker":         {ours: []string{"resilient"}},
	"reports":                   {ours: with(contracts, "assertions"), modules: yaml},
	"suites":                    {ours: with(contracts, "assertions", "reports", "suites/doctor"), modules: yaml},
	"suites/clients":            {},
	"suites/clients/nethttp":    {ours: client, modules: yaml},
	"suites/clients/resilient":  {ours: with(client, "resilient", "resilient/breaker"), modules: yaml},
	"suites/clients/resilientforms": {
		ours:    with(client, "resilient", "resilient/breaker", "suites/clients/resilient"),
		modules: yaml,
	},
	"suites/clients/godriver": {ours: []string{"resilient"}},
	"suites/command":          {ours: with(client, "suites/internal/process"), modules: yaml},
	"suites/driver":           {ours: with(client, "assertions", "suites/internal/process"), modules: yaml},
	"suites/internal/process": {modules: sys},
	"suites/profile":          {ours: with(client, "scenarios/schema", "suites/clients", "suites/command", "suites/driver"), modules: yaml},
	"suites/service":          {ours: with(client, "scenarios/schema", "suites/internal/process"), modules: yaml},
	"suites/matrix": {
		ours: with(client, "assertions", "reports", "suites/clients/nethttp", "suites/clients/resilient", "suites/clients/resilientforms",
			"suites/profile", "suites/service"),
		modules: yaml,
	},
	"suites/mutants":     {ours: with(client, "resilient", "suites/clients/resilient"), modules: yaml},
	"suites/doctor":      {ours: []string{"faultserver", "faultserver/control/client"}, modules: sys},
	"suites/observe":     {ours: with(contracts, "assertions", "reports"), modules: yaml},
	"suites/demo":        {ours: with(client, "resilient"), modules: yaml},
	"suites/ginkgosuite": {ours: with(judging, "assertions/matchers"), modules: ginkgo},
	"faultserver/control": {
		ours:    []string{"faultserver", "faultserver/control/client"},
		modules: service,
	},
	"faultserver/quick": {
		ours:    []string{"faultserver"},
		modules: sys,
	},
	"faultserver/control/client": {
		ours:    []string{"faultserver"},
		modules: sys,
	},
	"cmd/faultsrv": {
		ours: with(judging, "faultserver/control", "faultserver/control/client", "faultserver/quick", "scenarios/schema", "suites/command", "suites/driver", "suites/profile", "suites/service",
			"suites/clients/nethttp", "suites/clients/resilient", "suites/clients/resilientforms", "suites/mutants", "suites/matrix", "suites/doctor", "suites/observe", "suites/demo"),
		modules: command,
	},
	"tools/release": {},
}

func with(some []string, more ...string) []string { return slices.Concat(some, more) }

func TestEveryPackageHasARoom(t *testing.T) {
	t.Parallel()
	for _, platform := range platforms {
		folders := packagesOf(t, platform).folders()
		for _, folder := range folders {
			if _, ok := rooms[folder]; !ok {
				t.Errorf("%s: package %q is in no room: say in the table of this test what it may import", platform, folder)
			}
		}
		for _, folder := range slices.Sorted(maps.Keys(rooms)) {
			if !slices.Contains(folders, folder) {
				t.Errorf("%s: the table has a room %q, but there is no such package", platform, folder)
			}
		}
	}
}

func TestNothingFlowsBack(t *testing.T) {
	t.Parallel()
	for _, platform := range platforms {
		packages := packagesOf(t, platform)
		for _, folder := range packages.folders() {
			for _, imported := range packages[path(folder)].Imports {
				if target, ok := folderOf(imported); ok && !slices.Contains(rooms[folder].ours, target) {
					t.Errorf("%s: %q imports %q; it may import of ours %q: move the code, or hand it in as a function",
						platform, folder, target, rooms[folder].ours)
				}
			}
		}
	}
}

func TestWhatAnImportAddsToAConsumersBuild(t *testing.T) {
	t.Parallel()
	for _, platform := range platforms {
		packages := packagesOf(t, platform)
		for _, folder := range packages.folders() {
			for added, through := range packages.modulesAdded(folder) {
				if !slices.Contains(rooms[folder].modules, added) {
					t.Errorf("%s: importing %q adds module %s (through %s) to its user's build; allowed are %q",
						platform, folder, added, through, rooms[folder].modules)
				}
			}
		}
	}
}

// Ginkgo registers 52 global flags wherever it is linked, and they would become
// the command's; a test library has no place in a shipped command anyway.
func TestTheCommandLinksNoTestLibrary(t *testing.T) {
	t.Parallel()
	for _, platform := range platforms {
		added := packagesOf(t, platform).modulesAdded("cmd/faultsrv")
		for _, unwanted := range []string{"github.com/onsi/ginkgo/v2", "github.com/onsi/gomega"} {
			if through, ok := added[unwanted]; ok {
				t.Errorf("%s: cmd/faultsrv links %s, through %s", platform, unwanted, through)
			}
		}
	}
}

func TestCheckCompilesForEveryPlatform(t *testing.T) {
	t.Parallel()
	dry := exec.CommandContext(t.Context(), "make", "--dry-run", "check")
	// As from a shell: the make that may be running this test is not its business.
	dry.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	out, err := dry.CombinedOutput()
	if err != nil {
		t.Fatalf("make --dry-run check: %v\n%s", err, out)
	}
	for _, platform := range platforms {
		if !strings.Contains(string(out), " "+platform+"/") {
			t.Errorf("make check does not compile for %s; it runs:\n%s", platform, out)
		}
	}
}

// listed is a package as `go list -json` prints it.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Module     *struct{ Path string }
}

// graph holds a platform's packages, those imported from elsewhere included,
// by import path.
type graph map[string]listed

// folders are those of this module's packages, sorted.
func (g graph) folders() []string {
	var own []string
	for importPath := range g {
		if folder, ok := folderOf(importPath); ok {
			own = append(own, folder)
		}
	}
	slices.Sort(own)
	return own
}

// modulesAdded are the modules other than this one that the package in folder
// needs, directly or not; the value is the package of theirs that was met first.
func (g graph) modulesAdded(folder string) map[string]string {
	added := map[string]string{}
	seen := map[string]bool{}
	queue := []string{path(folder)}
	for len(queue) > 0 {
		pkg := g[queue[0]]
		queue = queue[1:]
		if seen[pkg.ImportPath] || pkg.Standard || pkg.Module == nil {
			continue
		}
		seen[pkg.ImportPath] = true
		if _, known := added[pkg.Module.Path]; !known && pkg.Module.Path != module {
			added[pkg.Module.Path] = pkg.ImportPath
		}
		queue = append(queue, pkg.Imports...)
	}
	return added
}

// packagesOf asks the go command once a platform; every test reads the answer.
func packagesOf(t *testing.T, platform string) graph {
	t.Helper()
	answer, err := listings[platform]()
	if err != nil {
		t.Fatalf("go list for %s: %v", platform, err)
	}
	return answer
}

var listings = func() map[string]func() (graph, error) {
	all := map[string]func() (graph, error){}
	for _, platform := range platforms {
		all[platform] = sync.OnceValues(func() (graph, error) { return list(platform) })
	}
	return all
}()

// list needs no cgo, nor does any package of ours: what it would add is part
// of the standard library.
func list(platform string) (graph, error) {
	if err := readFolders(); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Module", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+platform, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, errors.Join(err, errors.New(string(failed.Stderr)))
	} else if err != nil {
		return nil, err
	}
	packages := graph{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listed
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages[pkg.ImportPath] = pkg
	}
}

// readFolders reads every folder of the module. The go command does so too, but
// in a process of its own, and the test cache knows only what the test reads:
// without this, a passing result would outlive the next wrong import.
func readFolders() error {
	return filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && file != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
}

// path is the import path of a folder of ours; "" is the root.
func path(folder string) string {
	return strings.TrimSuffix(module+"/"+folder, "/")
}

// folderOf is the folder of an import path; false where it is not ours.
func folderOf(importPath string) (string, bool) {
	if importPath == module {
		return "", true
	}
	return strings.CutPrefix(importPath, module+"/")
}
