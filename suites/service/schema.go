package service

import (
	_ "embed"

	"github.com/faultsrv/faultsrv/scenarios/schema"
)

//go:embed service.schema.json
var ownSchema []byte

// Schema is the JSON Schema (draft 2020-12) of a service's profile, for editors:
// what stands in service.schema.json, with the definitions of the contract's schema
// that it refers to. It says less than the loader.
func Schema() (string, error) { return schema.Complete(ownSchema) }
