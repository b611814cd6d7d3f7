package profile

import (
	"io/fs"

	"github.com/faultsrv/faultsrv/suites/clients"
)

// BuiltIn are the profiles of suites/clients that are built in, sorted by name.
func BuiltIn() ([]Profile, error) {
	files, err := fs.Glob(clients.Profiles, "*/profile.yaml")
	if err != nil {
		return nil, err
	}
	var profiles []Profile
	for _, file := range files {
		data, err := clients.Profiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p, err := Parse("suites/clients/"+file, data)
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}
