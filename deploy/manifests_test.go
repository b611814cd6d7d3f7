package deploy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// manifests are the objects of the files, by their kinds and names.
type manifests struct {
	statefulSets map[string]*appsv1.StatefulSet
	services     map[string]*corev1.Service
	policies     map[string]*networkingv1.NetworkPolicy
	jobs         map[string]*batchv1.Job
	claims       map[string]*corev1.PersistentVolumeClaim
}

func newManifests() *manifests {
	return &manifests{
		map[string]*appsv1.StatefulSet{}, map[string]*corev1.Service{}, map[string]*networkingv1.NetworkPolicy{},
		map[string]*batchv1.Job{}, map[string]*corev1.PersistentVolumeClaim{},
	}
}

// pods are the templates by which pods are made, by the names of their owners.
func (m *manifests) pods() map[string]corev1.PodTemplateSpec {
	templates := map[string]corev1.PodTemplateSpec{}
	for name, set := range m.statefulSets {
		templates["StatefulSet "+name] = set.Spec.Template
	}
	for name, job := range m.jobs {
		templates["Job "+name] = job.Spec.Template
	}
	return templates
}

// readManifests reads every manifest that is shipped.
func readManifests(t *testing.T) *manifests {
	t.Helper()
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d manifests, %v; expected some in deploy/kubernetes", len(files), err)
	}
	m := newManifests()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.read(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	return m
}

// strict reads as the API server does that is asked to be strict: a field that it
// does not know, be it by one letter's case, or one that comes twice, is an error.
var strict = sync.OnceValues(func() (*json.Serializer, error) {
	scheme := runtime.NewScheme()
	for _, kinds := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme} {
		if err := kinds(scheme); err != nil {
			return nil, err
		}
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true}), nil
})

// read reads a file's objects.
func (m *manifests) read(text []byte) error {
	serializer, err := strict()
	if err != nil {
		return err
	}
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		object, _, err := serializer.Decode(document, nil, nil)
		if err != nil {
			return err
		}
		switch object := object.(type) {
		case *appsv1.StatefulSet:
			err = add(m.statefulSets, object.Name, object)
		case *corev1.Service:
			err = add(m.services, object.Name, object)
		case *networkingv1.NetworkPolicy:
			err = add(m.policies, object.Name, object)
		case *batchv1.Job:
			err = add(m.jobs, object.Name, object)
		case *corev1.PersistentVolumeClaim:
			err = add(m.claims, object.Name, object)
		default:
			err = fmt.Errorf("%T: expected an object of a kind that this test knows", object)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add keeps an object by its name.
func add[T any](objects map[string]T, name string, object T) error {
	if _, twice := objects[name]; twice || name == "" {
		return fmt.Errorf("%T %q: expected a name of its own", object, name)
	}
	objects[name] = object
	return nil
}
