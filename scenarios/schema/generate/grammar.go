package main

import (
	_ "embed"

	"github.com/faultsrv/faultsrv/faultserver"
)

//go:embed format.ebnf
var formatGrammar string

// grammar is the server's grammar of scripts and scalars, and the format's of
// the other words.
func grammar() []byte { return []byte(faultserver.Grammar() + "\n" + formatGrammar) }
