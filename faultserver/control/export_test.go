package control

import "net/http"

// Routes are the routes there are, as "GET /healthz".
func Routes() []string {
	var all []string
	for _, one := range routes {
		all = append(all, one.method+" "+one.path)
	}
	return all
}

// ProblemTypes are the addresses of the kinds of problem.
func ProblemTypes() []string {
	var types []string
	for _, k := range []kind{
		badRequest, unauthorized, crossSite, notAllowed, notFound, wrongMethod, conflict, tooLarge,
		wrongMediaType, misdirected, unusable, tooMany, failed, notInTime,
	} {
		types = append(types, k.problem("").Type)
	}
	return types
}

// Handler is the API without a listener.
func (s *Server) Handler() http.Handler { return s.http.Handler }
