package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
)

// secretFlags add to what reports show only as a keyed hash.
func secretFlags(cmd *cobra.Command, secrets *reports.Secrets) {
	cmd.Flags().Var(&nameList{&secrets.Headers, isFieldName, "the name of a header field and no more, such as X-Api-Key"}, "secret-header",
		"show the header field `NAME` only as a keyed hash, like "+strings.Join(reports.SecretHeaders, ", ")+"; may be repeated")
	cmd.Flags().Var(&nameList{&secrets.Query, isParameterName, "the name of a query parameter and no more, such as token"}, "secret-query",
		"show the query parameter `NAME` only as a keyed hash; may be repeated")
}

// A nameList is a flag that may be repeated. One that names nothing would hide
// nothing, and nobody would see it.
type nameList struct {
	names *[]string
	is    func(name string) bool
	want  string
}

// String implements pflag.Value.
func (l *nameList) String() string {
	if l.names == nil {
		return ""
	}
	return strings.Join(*l.names, ", ")
}

// Type implements pflag.Value.
func (l *nameList) Type() string { return "name" }

// Set implements pflag.Value.
func (l *nameList) Set(name string) error {
	if !l.is(name) {
		return fmt.Errorf("expected %s", l.want)
	}
	*l.names = append(*l.names, name)
	return nil
}

// isFieldName tells whether a text is a token (RFC 9110, section 5.1).
func isFieldName(name string) bool {
	other := func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	}
	return name != "" && !strings.ContainsFunc(name, other)
}

// isParameterName tells whether a text can stand before the = in a query.
func isParameterName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "=&;?# \t\r\n\"'<>")
}
