package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/faultsrv/faultsrv/scenarios"
)

// expectedOf is what a flag of a type takes, in place of what the parsers of
// the standard library say of it.
var expectedOf = map[string]string{
	"int":      "a whole number",
	"uint64":   "a whole number from 0 to 18446744073709551615",
	"duration": "a time with its unit, such as 500ms, 10s or 1m30s",
}

// flagError says what is wrong with a flag, and where the right ones stand.
func flagError(cmd *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		if meant := scenarios.Nearest(unknown.GetSpecifiedName(), names); meant != "" {
			err = fmt.Errorf("%w (did you mean --%s?)", err, meant)
		}
	}
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		if expected := expectedOf[invalid.GetFlag().Value.Type()]; expected != "" {
			err = fmt.Errorf("invalid argument %q for \"--%s\" flag: expected %s", invalid.GetValue(), invalid.GetFlag().Name, expected)
		}
	}
	return fmt.Errorf("%w; `%s --help` lists the flags", err, cmd.CommandPath())
}

// noEmptyValues refuses a flag whose value is empty, which is what a shell makes
// of a variable that is not set: --out "$RESULTS" would else write nothing.
func noEmptyValues(cmd *cobra.Command, _ []string) error {
	var problem error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		empty := flag.Value.String() == ""
		if list, is := flag.Value.(pflag.SliceValue); is {
			empty = slices.Contains(list.GetSlice(), "")
		}
		if empty && problem == nil {
			problem = fmt.Errorf("--%s: expected a value, got an empty one; leave the flag out where it is not wanted", flag.Name)
		}
	})
	return problem
}

// noArguments refuses arguments that a command would not look at.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: expected none; see `%s --help`", args[0], cmd.CommandPath())
	}
	return nil
}

// someArguments asks for at least one argument.
func someArguments(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("expected at least one %s, got none; see `%s --help`", what, cmd.CommandPath())
		}
		return nil
	}
}

// oneArgument asks for exactly one argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("expected one %s, got %d; see `%s --help`", what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

// oneOf is a choice whose default is the first word.
func oneOf(words ...string) *choice { return &choice{words[0], words} }

// or makes another of the words the default.
func (c *choice) or(word string) *choice {
	c.value = word
	return c
}

// flag adds the choice to a command, with its words for the shell.
func (c *choice) flag(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	completeFlag(cmd, name, cobra.FixedCompletions(c.allowed, cobra.ShellCompDirectiveNoFileComp))
}

// String implements pflag.Value.
func (c *choice) String() string { return c.value }

// Set implements pflag.Value.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.allowed, word) {
		return fmt.Errorf("expected one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = word
	return nil
}

// Type implements pflag.Value; it is what help shows for the value.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }
