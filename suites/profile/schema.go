package profile

import (
	_ "embed"

	"github.com/faultsrv/faultsrv/scenarios/schema"
)

//go:embed profile.schema.json
var ownSchema []byte

// Schema is the JSON Schema (draft 2020-12) of a profile, for editors: what
// stands in profile.schema.json, with the definitions of the contract's schema
// that it refers to. It says less than the loader.
func Schema() (string, error) { return schema.Complete(ownSchema) }
