package control

import (
	_ "embed"
	"net/http"
)

// OpenAPI is the description of the API, as OpenAPI 3.1 in JSON.
//
//go:embed openapi.json
var OpenAPI []byte

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) *problem {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(OpenAPI) // a client that is gone needs none
	return nil
}
