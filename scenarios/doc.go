// Package scenarios is the contract format: its types, the strict loader, the
// lint rules and the embedded catalogue.
//
// A contract is data: a stimulus (calls and a policy), a server script, and
// what must be observed. The catalogue under catalogue/ is one file an area.
// A new word of the format is a field of the type it belongs to; the decoder
// and the JSON Schema (scenarios/schema) follow the types.
//
// It imports faultserver, for the step types, and the YAML parser.
package scenarios
