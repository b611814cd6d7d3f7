// Package schema has the JSON Schema of contract files, for editors and for
// tools that are not written in Go.
//
// The schema is generated from the types of package scenarios, with their
// comments as descriptions, by generate/; so is the reference of the format in
// docs/reference. A test fails when one of them is stale: go generate makes
// them anew. The schema says less than the loader: what it refuses the loader
// refuses too.
//
// It imports nothing; generate imports scenarios, faultserver and
// invopop/jsonschema.
package schema

import _ "embed"

//go:generate go run ./generate ../..

//go:embed contract.schema.json
var contract string

// Contract is the JSON Schema (draft 2020-12) of one document of a contract
// file.
func Contract() string { return contract }
