package control_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

// description is the API's own, as far as the tests look at it.
type description struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		OperationID string                     `json:"operationId"` //nolint:tagliatelle // OpenAPI's own word
		Responses   map[string]json.RawMessage `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"schemas"`
	} `json:"components"`
}

var described = sync.OnceValue(func() description {
	var d description
	if err := json.Unmarshal(control.OpenAPI, &d); err != nil {
		panic(err)
	}
	return d
})

// compiler compiles the description's schemas.
var compiler = sync.OnceValue(func() *jsonschema.Compiler {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(control.OpenAPI))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("openapi.json", document); err != nil {
		panic(err)
	}
	return c
})

// called are the operations that some spec has called.
var called = struct {
	sync.Mutex
	operations map[string]bool
}{operations: map[string]bool{}}

// A holder holds every answer to the description: its status is one of the
// operation's, its media type one of that status's, and its JSON as the schema says.
type holder struct{ http.RoundTripper }

func holding(transport http.RoundTripper) http.RoundTripper { return holder{transport} }

func (h holder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := h.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	path, operation, found := operationOf(request)
	if !found {
		return response, nil // of no operation, which a spec is about
	}
	called.Lock()
	called.operations[operation.OperationID] = true
	called.Unlock()
	if problem := operation.check(path, strings.ToLower(request.Method), response); problem != nil {
		_ = response.Body.Close()
		return nil, fmt.Errorf("%s %s: the answer is not as openapi.json says: %w", request.Method, request.URL, problem)
	}
	return response, nil
}

type operation struct {
	OperationID string
	responses   map[string]json.RawMessage
}

func operationOf(request *http.Request) (path string, o operation, found bool) {
	for path, methods := range described().Paths {
		pattern := regexp.MustCompile(`^` + regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`) + `$`)
		if one, has := methods[strings.ToLower(request.Method)]; has && pattern.MatchString(request.URL.Path) {
			return path, operation{one.OperationID, one.Responses}, true
		}
	}
	return "", operation{}, false
}

func (o operation) check(path, method string, response *http.Response) error {
	status := strconv.Itoa(response.StatusCode)
	raw, known := o.responses[status]
	if !known {
		return fmt.Errorf("status %s; described are %v", status, slices.Sorted(maps.Keys(o.responses)))
	}
	at := fmt.Sprintf("openapi.json#/paths/%s/%s/responses/%s", strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path), method, status)
	var described struct {
		Ref     string         `json:"$ref"`
		Content map[string]any `json:"content"`
	}
	if err := json.Unmarshal(raw, &described); err != nil {
		return err
	}
	if described.Ref != "" {
		at = "openapi.json" + described.Ref
		described.Content = map[string]any{"application/problem+json": nil}
	}
	if len(described.Content) == 0 {
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if _, known := described.Content[mediaType]; !known {
		return fmt.Errorf("media type %s of status %s; described are %v", mediaType, status, slices.Sorted(maps.Keys(described.Content)))
	}
	if !strings.HasSuffix(mediaType, "json") {
		return nil
	}
	content, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(content))
	if err != nil {
		return err
	}
	schema, err := compiler().Compile(at + "/content/" + strings.ReplaceAll(mediaType, "/", "~1") + "/schema")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// Every answer of every spec is held to the description; here it is seen that
// the specs call everything that is described.
var _ = AfterSuite(func() {
	if config, _ := GinkgoConfiguration(); len(config.FocusStrings)+len(config.FocusFiles)+len(config.LabelFilter) > 0 {
		return // not all specs have run
	}
	var missing []string
	for _, methods := range described().Paths {
		for _, one := range methods {
			if !called.operations[one.OperationID] {
				missing = append(missing, one.OperationID)
			}
		}
	}
	Expect(missing).To(BeEmpty(), "operations that no spec calls")
})

var _ = Describe("The description of the API", func() {
	It("has the routes that there are, and no other", func() {
		var written []string
		for path, methods := range described().Paths {
			for method := range methods {
				written = append(written, strings.ToUpper(method)+" "+path)
			}
		}
		Expect(written).To(ConsistOf(control.Routes()))
		Expect(described().OpenAPI).To(Equal("3.1.0"))
	})

	It("is served as it is embedded", func() {
		status, answer := start(control.Options{}).say("GET", "/openapi.json", "")
		Expect(status).To(Equal(200))
		Expect(answer).To(Equal(string(control.OpenAPI)))
	})

	DescribeTable("has the fields of the types",
		func(name string, value any) {
			var fields []string
			for i := range reflect.TypeOf(value).NumField() {
				key, _, _ := strings.Cut(reflect.TypeOf(value).Field(i).Tag.Get("json"), ",")
				fields = append(fields, key)
			}
			Expect(slices.Collect(maps.Keys(described().Components.Schemas[name].Properties))).To(ConsistOf(fields))
		},
		Entry(nil, "NewSession", client.NewSession{}),
		Entry(nil, "Session", client.Session{}),
		Entry(nil, "Call", client.Call{}),
		Entry(nil, "Steps", client.Steps{}),
		Entry(nil, "Script", client.Script{}),
		Entry(nil, "Report", client.Report{}),
		Entry(nil, "Problem", client.Problem{}),
	)

	It("has a unit in the name of each number of nanoseconds of a journal", func() {
		var measured []string
		for _, of := range []reflect.Type{
			reflect.TypeFor[faultserver.Attempt](), reflect.TypeFor[faultserver.Interval](), reflect.TypeFor[faultserver.ClientEnd](),
			reflect.TypeFor[faultserver.SentRetryAfter](), reflect.TypeFor[faultserver.Connection](),
			reflect.TypeFor[faultserver.ProtocolEvent](), reflect.TypeFor[faultserver.Window](),
		} {
			for _, field := range reflect.VisibleFields(of) {
				if field.Type == reflect.TypeFor[time.Duration]() || field.Type == reflect.TypeFor[*time.Duration]() {
					key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
					measured = append(measured, key)
				}
			}
		}
		Expect(measured).To(HaveLen(16))
		Expect(measured).To(HaveEach(HaveSuffix("_ns")))
	})

	It("is one that a validator of OpenAPI 3.1 can compile: every schema of it", func() {
		for name := range described().Components.Schemas {
			_, err := compiler().Compile("openapi.json#/components/schemas/" + name)
			Expect(err).NotTo(HaveOccurred(), name)
		}
	})

	It("explains each problem where its type leads", func() {
		text, err := os.ReadFile("../../docs/serve.md")
		Expect(err).NotTo(HaveOccurred())
		for _, address := range control.ProblemTypes() {
			page, code, _ := strings.Cut(address, "#")
			Expect(page).To(HaveSuffix("/docs/serve.md"))
			Expect(string(text)).To(ContainSubstring("\n#### " + code + "\n"))
		}
	})
})
