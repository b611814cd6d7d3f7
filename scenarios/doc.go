// Package scenarios is the contract format: its types, the strict loader, the
// lint rules and the embedded catalogue.
//
// A contract is data: a stimulus (calls and a policy), a server script, and
// what must be observed. The catalogue under catalogue/ is one file an area.
//
// # Where things are
//
// The types are the format: contract.go, call.go, policy.go, expect.go and
// outcome.go here, the steps in package faultserver. [Parse] reads a file
// (parse.go): a walk over its YAML nodes that follows the types' yaml tags
// (decode.go), their short forms (forms.go, steps.go) and closed lists
// (words.go). What a contract means when it leaves something out is in
// defaults.go and delays.go, what it needs of a client in capabilities.go, and
// whether this version can run it in runnable.go. [Lint] (lint.go and the files
// named after it) finds what the format can say and a contract must not.
// [Catalogue], [Load] and [Select] find the contracts to run.
//
// # Where new things go
//
// A new word of the format is a field of the type it belongs to, with a comment
// for the reference; a new short form is a line in forms.go, a new act a line
// in steps.go, a new rule of lint a line in the table of its file and two
// contracts in lint_test.go. Then go generate makes the JSON Schema and the
// reference anew (scenarios/schema).
//
// # Imports
//
// It imports faultserver, for the step types, and the YAML parser.
package scenarios
