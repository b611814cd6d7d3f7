// Package clients has the profiles of real clients that are programs, one a
// folder: NAME/profile.yaml. What is built in needs nothing but the program
// itself; the drivers beside it come with files of their own and are named by
// the path of their profile. Clients written in Go have packages here.
//
// It imports nothing.
package clients

import "embed"

// Profiles has the built-in profiles, NAME/profile.yaml.
//
//go:embed curl/profile.yaml wget/profile.yaml
var Profiles embed.FS
