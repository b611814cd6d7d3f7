package deploy

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestAFieldThatIsNotKnownIsRefused breaks the shipped manifest in ways that a
// reader would not see.
func TestAFieldThatIsNotKnownIsRefused(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("kubernetes/faultsrv.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ right, wrong, want string }{
		{"serviceName: faultsrv", "servicename: faultsrv", `unknown field "spec.servicename"`},
		{"readinessProbe:", "readynessProbe:", `unknown field "spec.template.spec.containers[0].readynessProbe"`},
		{"periodSeconds: 5", "periodSeconds: soon", "cannot unmarshal string"},
		{"replicas: 2", "replicas: 2\n  replicas: 3", `"replicas" already set`},
		{"kind: StatefulSet", "kind: StatefullSet", `no kind "StatefullSet" is registered`},
	} {
		broken := strings.Replace(string(whole), c.right, c.wrong, 1)
		if broken == string(whole) {
			t.Fatalf("the manifest has no %q to break", c.right)
		}
		if err := newManifests().read([]byte(broken)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; expected it to be refused: %s", c.wrong, err, c.want)
		}
	}
}

// TestTheServersPodsAreAddressed: each by its own name, which the Service gives it.
func TestTheServersPodsAreAddressed(t *testing.T) {
	t.Parallel()
	m := readManifests(t)
	set := m.statefulSets["faultsrv"]
	service := m.services[set.Spec.ServiceName]
	if service == nil || service.Spec.ClusterIP != corev1.ClusterIPNone {
		t.Fatalf("serviceName %q: expected a headless Service of that name", set.Spec.ServiceName)
	}
	labels := set.Spec.Template.Labels
	for what, selector := range map[string]map[string]string{
		"the StatefulSet": set.Spec.Selector.MatchLabels, "the Service": service.Spec.Selector,
		"the NetworkPolicy": m.policies["faultsrv"].Spec.PodSelector.MatchLabels,
	} {
		if !selects(selector, labels) {
			t.Errorf("%s selects %v; the pods are labelled %v", what, selector, labels)
		}
	}
	container := set.Spec.Template.Spec.Containers[0]
	ports := map[string]int32{}
	for _, port := range container.Ports {
		ports[port.Name] = port.ContainerPort
	}
	for _, port := range service.Spec.Ports {
		if number, there := ports[port.TargetPort.StrVal]; !there || number != port.Port {
			t.Errorf("the Service leads port %d to %q; the container has %v", port.Port, port.TargetPort.StrVal, ports)
		}
	}
	for flag, want := range map[string]string{
		"listen": fmt.Sprintf("0.0.0.0:%d", ports["data"]), "control": fmt.Sprintf("0.0.0.0:%d", ports["control"]),
		"name": "$(POD_NAME)", "advertise-url": fmt.Sprintf("http://$(POD_NAME).%s:%d", service.Name, ports["data"]),
		"control-host": "$(POD_NAME)." + service.Name,
	} {
		if got := values(container.Args, flag); !slices.Contains(got, want) {
			t.Errorf("--%s is %q; expected %s", flag, got, want)
		}
	}
	for what, probe := range map[string]*corev1.Probe{"/readyz": container.ReadinessProbe, "/healthz": container.LivenessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != what || probe.HTTPGet.Port.StrVal != "control" {
			t.Errorf("the probe for %s is %v; expected to ask the control API", what, probe)
		}
	}
}

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

// values are what a command line gives to a flag.
func values(args []string, flag string) []string {
	var all []string
	for _, arg := range args {
		if value, is := strings.CutPrefix(arg, "--"+flag+"="); is {
			all = append(all, value)
		}
	}
	return all
}

// TestThePolicyLetsThroughWhatIsListenedOn compares it with the server's flags.
func TestThePolicyLetsThroughWhatIsListenedOn(t *testing.T) {
	t.Parallel()
	m := readManifests(t)
	var open []string
	for _, rule := range m.policies["faultsrv"].Spec.Ingress {
		if len(rule.From) == 0 {
			t.Error("a rule lets everybody in")
		}
		for _, port := range rule.Ports {
			span := port.Port.String()
			if port.EndPort != nil {
				span += "-" + strconv.Itoa(int(*port.EndPort))
			}
			open = append(open, span)
		}
	}
	args := m.statefulSets["faultsrv"].Spec.Template.Spec.Containers[0].Args
	want := slices.Concat(values(args, "session-ports"), values(args, "listen"), values(args, "control"))
	for i := range want {
		want[i] = strings.TrimPrefix(want[i], "0.0.0.0:")
	}
	slices.Sort(open)
	slices.Sort(want)
	if !slices.Equal(open, want) {
		t.Errorf("the NetworkPolicy lets through %q; the server listens on %q", open, want)
	}
}

// TestThePartsAreThoseOfOneRun: as many as there are pods, each in a file that the report reads.
func TestThePartsAreThoseOfOneRun(t *testing.T) {
	t.Parallel()
	m := readManifests(t)
	job, report := m.jobs["faultsrv-catalogue"], m.jobs["faultsrv-report"]
	if job.Spec.CompletionMode == nil || *job.Spec.CompletionMode != batchv1.IndexedCompletion {
		t.Fatalf("completionMode %v; expected Indexed", job.Spec.CompletionMode)
	}
	args := job.Spec.Template.Spec.Containers[0].Args
	parts := int(*job.Spec.Completions)
	if got, want := values(args, "shard-index"), fmt.Sprintf("$(INDEX)/%d", parts); !slices.Equal(got, []string{want}) {
		t.Errorf("--shard-index is %q; expected %s, for %d completions", got, want, parts)
	}
	if len(values(args, "seed")) != 1 {
		t.Error("the parts have no common seed, and could not be joined")
	}
	var files []string
	for index := range parts {
		files = append(files, fmt.Sprintf("/results/%d/results.json", index))
	}
	var read []string
	for _, arg := range report.Spec.Template.Spec.Containers[0].Args {
		if strings.HasSuffix(arg, "/results.json") {
			read = append(read, arg)
		}
	}
	if !slices.Equal(read, files) {
		t.Errorf("the report reads %q; the parts write %q", read, files)
	}
	for _, volume := range slices.Concat(job.Spec.Template.Spec.Volumes, report.Spec.Template.Spec.Volumes) {
		if claim := volume.PersistentVolumeClaim; claim != nil && m.claims[claim.ClaimName] == nil {
			t.Errorf("volume %s is of claim %q; expected one of %q", volume.Name, claim.ClaimName, slices.Collect(maps.Keys(m.claims)))
		}
	}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if codes := rule.OnExitCodes; codes != nil && *codes.ContainerName != job.Spec.Template.Spec.Containers[0].Name {
			t.Errorf("a rule is about container %q, which is none", *codes.ContainerName)
		}
	}
}

var variable = regexp.MustCompile(`\$\((\w+)\)`)

// TestPodsAreWholeAndBounded: what a cluster would refuse at the start, or regret later.
func TestPodsAreWholeAndBounded(t *testing.T) {
	t.Parallel()
	for owner, template := range readManifests(t).pods() {
		if may := template.Spec.SecurityContext; may == nil || may.RunAsNonRoot == nil || !*may.RunAsNonRoot || may.SeccompProfile == nil {
			t.Errorf("%s: expected pods that do not run as root, with the runtime's seccomp profile", owner)
		}
		for key, value := range template.Labels {
			if problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(problems) > 0 {
				t.Errorf("%s: label %s: %q: %v", owner, key, value, problems)
			}
		}
		volumes := map[string]bool{}
		for _, volume := range template.Spec.Volumes {
			volumes[volume.Name] = true
		}
		for _, container := range template.Spec.Containers {
			checkContainer(t, owner, container, volumes)
		}
	}
}

func checkContainer(t *testing.T, owner string, container corev1.Container, volumes map[string]bool) {
	t.Helper()
	environment := map[string]bool{}
	for _, one := range container.Env {
		environment[one.Name] = true
	}
	for _, arg := range container.Args {
		for _, match := range variable.FindAllStringSubmatch(arg, -1) {
			if !environment[match[1]] {
				t.Errorf("%s: %s uses $(%s), which env does not have", owner, arg, match[1])
			}
		}
	}
	for _, mount := range container.VolumeMounts {
		if !volumes[mount.Name] {
			t.Errorf("%s mounts %q, which is no volume of the pod", owner, mount.Name)
		}
	}
	if container.Resources.Limits.Memory().IsZero() || container.Resources.Requests.Cpu().IsZero() {
		t.Errorf("%s: expected a limit of memory and a request of CPU", owner)
	}
	may := container.SecurityContext
	if may == nil || *may.AllowPrivilegeEscalation || !*may.ReadOnlyRootFilesystem || !slices.Equal(may.Capabilities.Drop, []corev1.Capability{"ALL"}) {
		t.Errorf("%s: expected a container without privileges, and with a root file system that it cannot write", owner)
	}
}
