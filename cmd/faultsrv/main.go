// Package main is faultsrv, the command line over everything else.
//
// Each command is a file of its own (test.go, serve.go, …); what several of
// them need stands in files named after it: the selection of contracts
// (selection.go), the built-in clients (clients_known.go), the files that a run
// leaves (outputs.go). A new command is a new file and one line in root.go.
//
// A command writes to the writers that it was given and returns an error; what
// exit status that means is decided in status.go. It imports any room of the
// project, and cobra.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}
