// Package profile reads the profile of a client that is a program: how it is
// started, what it can do and what it promises, what its exit statuses mean, and
// what it is known to break. docs/profiles.md explains the keys.
//
// A profile is a YAML file, read as strictly as a contract. Those of real
// clients stand in suites/clients/NAME/profile.yaml and are built in ([BuiltIn]).
// A new one is a file there, and a test that says what the client keeps.
//
// Clients written in Go need no profile file: package suites has their type.
package profile
