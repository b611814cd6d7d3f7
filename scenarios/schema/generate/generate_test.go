package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/faultsrv/faultsrv/scenarios"
)

const module = "../../.."

func TestThePublishedFilesAreFresh(t *testing.T) {
	files, err := generated(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		published, err := os.ReadFile(filepath.Join(module, f.path))
		if err != nil || !bytes.Equal(published, f.data) {
			t.Errorf("%s is stale: go generate ./scenarios/schema makes it anew (%v)", f.path, err)
		}
	}
}

func TestTheFilesAreWrittenWhereAsked(t *testing.T) {
	if err := run(nil); err == nil {
		t.Error("no folder: want an error")
	}
	if err := run([]string{t.TempDir()}); err == nil {
		t.Error("a folder without sources: want an error")
	}
}

func TestTheSchemaTakesEveryContractThatTheLoaderTakes(t *testing.T) {
	schema := compiled(t)
	var files []string
	for _, pattern := range []string{"scenarios/catalogue/*.yaml", "scenarios/testdata/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no files in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, document := range documents(t, string(data)) {
			if err := schema.Validate(document); err != nil {
				t.Errorf("%s, document %d: %v", filepath.Base(file), i+1, err)
			}
		}
	}
}

// TestTheSchemaAndTheLoaderAgree gives both the same lines.
func TestTheSchemaAndTheLoaderAgree(t *testing.T) {
	schema := compiled(t)
	for lines, want := range map[string]bool{
		"level: must":  true,
		"level: musts": false,
		"levle: must":  false,
		"title: 010":   true,
		"opt-in: true": true,
		"opt-in: 1":    false,
		"cites: [{doc: RFC 9110, section: 9.2, strength: MUST NOT}]": true,
		"cites: [{dok: RFC 9110}]":                                   false,
		"cites: {doc: RFC 9110}":                                     false,
		"watch: 0":                                                   true,
		"watch: 1m30s":                                               true,
		"watch: 40":                                                  false,
		"watch: 30s1m":                                               false,
		"server: h2":                                                 true,
		"server: {protocol: h2, second-host: false}":                 true,
		"server: h3":                                                 false,
		"needs: [retry, tls]":                                        true,
		"needs: [retries]":                                           false,
		"policy: {attempts: 3, backoff: {linear: 1s, factor: 1.5}}": true,
		"policy: {attempts: 0}":                                                       false,
		"policy: {attempts: 1001}":                                                    false,
		"policy: {statuses: [99]}":                                                    false,
		"policy: {budget: {ratio: 0.1, reserve: 10}}":                                 true,
		"calls: [{repeat: 10001}]":                                                    false,
		"calls: [{headers: {A: b, C: [d, 1, true]}}]":                                 true,
		"calls: [{headers: [A, b]}]":                                                  false,
		"calls: [{body: text}, {body: {size: 64KiB, seed: 7}}, {body: {text: a}}]":    true,
		"calls: [{body: {size: 64kB}}]":                                               false,
		"calls: [{body: {length: 1}}]":                                                false,
		"calls: [{cancel: {attempt: 1, event: answered, plus: 1s}}]":                  true,
		"calls: [{cancel: {attempt: 1, event: answerd}}]":                             false,
		"match: {header: X-Judged}":                                                   true,
		"match: {header: {X-Judged: a, X-Too: b}}":                                    false,
		"script: 503x2,reset,200":                                                     true,
		"script: [succeed, 503, 503x2]":                                               true,
		"script: {respond: 503}":                                                      false,
		"script: [{respond: 503, at: request-body@64KiB}]":                            true,
		"script: [{respond: 503, at: request-body}]":                                  false,
		"script: [{respond: {status: 503, retry-after: {date: +2s, form: asctime}}}]": true,
		"script: [{respond: {status: 503, retry-after: {form: asctime}}}]":            false,
		"script: [{respond: {status: 503, retry-after: 1}}]":                          true,
		"script: [{respond: 503, reset: request-end}]":                                false,
		"script: [{at: request-end}]":                                                 false,
		"script: [{reset: request-end, commit: true}]":                                true,
		"script: [{reset: request-end, commit: by-key, times: forever, optional: true, note: why, probability: 0.5}]": true,
		"script: [{reset: half-way}]":                                                             false,
		"script: [{stall: 2s}, {stall: request-head}, {stall: {for: 1s}}]":                        true,
		"script: [{truncate: 500}, {redirect: 307}, {stale: rst}, {stale: 1s}]":                   true,
		"script: [{succeed: {status: 201}}]":                                                      false,
		"script: [{succeed: {}, delay: 1s}, {succeed: {}, delay: {uniform: {min: 1s, max: 2s}}}]": true,
		"script: [{succeed: {}, delay: {unifrom: {min: 1s}}}]":                                    false,
		"script: [{succeed: {}, times: 0}]":                                                       false,
		"script: [{succeed: {}, times: never}]":                                                   false,
		"script: [{succeed: {}, probability: 2}]":                                                 false,
		"script: [{h2-goaway: {last: previous}}]":                                                 true,
		"script: [{h3-goaway: {}}]":                                                               false,
		"connections: [{reset: accept}, pass, {accept-hang: 1s}, {refuse: {for: 1s}}]":            true,
		"expect: {attempts: 3, body: source}":                                                     true,
		"expect: {attempts: policy, connections: {max: 2}}":                                       true,
		"expect: {attempts: {each: 1, max: 2}}":                                                   true,
		"expect: {attempts: three}":                                                               false,
		"expect: {atempts: 3}":                                                                    false,
		"expect: {call-1: {attempts: 1}}":                                                         true,
		"expect: {call-1: {atempts: 1}}":                                                          false,
		"expect: {same: [method, header.X-A]}":                                                    true,
		"expect: {same: [verb]}":                                                                  false,
		"expect: {gaps: {min: policy, max: 2s, of: [1]}}":                                         true,
		"expect: {gaps: {min: soon}}":                                                             false,
		"expect: {returns: {after: cancel, max: 1s}}":                                             true,
		"expect: {returns: {after: {attempt: 1}, max: 1s}}":                                       true,
		"expect: {returns: {after: canceled}}":                                                    false,
		"expect: {outcome: success}":                                                              true,
		"expect: {outcome: {any-of: [success, {not: {error: [reset, any]}}]}}":                    true,
		"expect: {outcome: failure}":                                                              false,
		"expect: {outcome: {eror: any}}":                                                          false,
		"expect: {outcomes: {success: 1, status-503: 2, reset: 0}}":                               true,
		"expect: {outcomes: {sucess: 1}}":                                                         false,
		"expect: {spread: {like: policy}, amplification: policy}":                                 true,
		"expect: {amplification: budget}":                                                         false,
		"expect: {window: {from: {attempt: 1}, for: 1s, attempts: 0}}":                            true,
		"expect: {drained: {max: 1MiB}}":                                                          true,
	} {
		text := "format: 1\nid: body.one\n" + lines + "\n"
		if !strings.HasPrefix(lines, "calls:") {
			text += "calls: [{}]\n"
		}
		if _, err := scenarios.Parse("one.yaml", []byte(text)); (err == nil) != want {
			t.Errorf("%s: the loader says %v", lines, err)
		}
		if err := schema.Validate(documents(t, text)[0]); (err == nil) != want {
			t.Errorf("%s: the schema says %v", lines, err)
		}
	}
}

func compiled(t *testing.T) *validator.Schema {
	t.Helper()
	data, err := os.ReadFile("../contract.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := validator.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	if err := compiler.AddResource("contract.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("contract.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// documents are the documents of a file as an editor sees them: YAML's own idea
// of numbers and bools, in the types of JSON.
func documents(t *testing.T, text string) []any {
	t.Helper()
	var all []any
	if err := yaml.Load([]byte(text), &all, yaml.WithAllDocuments()); err != nil {
		t.Fatal(err)
	}
	for i, document := range all {
		data, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if all[i], err = validator.UnmarshalJSON(bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A reader meets each key with what it means: in its own words, in those of its
// value, or in those of the mapping it stands in.
func TestEveryKeyIsDescribed(t *testing.T) {
	comments, err := readComments(module)
	if err != nil {
		t.Fatal(err)
	}
	s, err := contractSchema(comments)
	if err != nil {
		t.Fatal(err)
	}
	described := func(key string, property *jsonschema.Schema, around string) bool {
		of := property.Description
		if property.Ref != "" && !strings.HasSuffix(property.Ref, "/text") && !strings.HasSuffix(property.Ref, "/duration") {
			of += s.root.Definitions[refName(property)].Description
		}
		return of != "" || strings.Contains(around, "`"+key+"`")
	}
	for name, definition := range s.root.Definitions {
		mapping := mappingOf(definition)
		if mapping == nil || mapping.Properties == nil {
			continue
		}
		for key, property := range mapping.Properties.FromOldest() {
			if !described(key, property, definition.Description) {
				t.Errorf("%s.%s has no description", name, key)
			}
		}
	}
	for key, property := range s.root.Properties.FromOldest() {
		if !described(key, property, "") {
			t.Errorf("%s has no description", key)
		}
	}
}

// The reference must not speak of Go to who writes YAML.
func TestTheReferenceSpeaksOfTheFormat(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(module, "docs/reference/format.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(page), "\n") {
		for _, word := range []string{"zero value", " nil ", "nil)", "Defaulted", "DatePhase", "Session.", "[]"} {
			if strings.Contains(line, word) {
				t.Errorf("line %d says %q: %s", i+1, word, line)
			}
		}
	}
}

var (
	ebnfComment = regexp.MustCompile(`(?s)\(\*.*?\*\)`)
	ebnfLiteral = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	ebnfRule    = regexp.MustCompile(`(?m)^([a-z][a-z-]*)\s*=`)
	ebnfName    = regexp.MustCompile(`[a-z][a-z-]*`)
)

// Every name of the grammar is defined, once.
func TestTheGrammarIsWhole(t *testing.T) {
	text := ebnfLiteral.ReplaceAllString(ebnfComment.ReplaceAllString(string(grammar()), ""), "")
	defined := map[string]int{}
	for _, match := range ebnfRule.FindAllStringSubmatch(text, -1) {
		defined[match[1]]++
	}
	for name, times := range defined {
		if times > 1 {
			t.Errorf("%s is defined %d times", name, times)
		}
	}
	for _, name := range ebnfName.FindAllString(text, -1) {
		if defined[name] == 0 {
			t.Errorf("%s is not defined", name)
		}
	}
	if len(defined) < 20 {
		t.Errorf("only %d rules were found: %v", len(defined), fmt.Sprint(defined))
	}
}
