// Package command is the client kind "exec": it judges any command line. Each
// call runs the command once; its exit status is the call's outcome.
//
// # Placeholders
//
// The arguments are taken as they are, already split, and never go through a
// shell. In them these are replaced, anywhere in an argument and as often as
// they stand there:
//
//	{url}                 where to send the call
//	{method}              its method
//	{attempts}            how many requests it may make, the first included
//	{retries}             the same without the first: attempts − 1
//	{backoff}             the pause before a retry, in whole seconds, rounded up
//	{backoff-ms}          the same in milliseconds
//	{timeout}             the deadline of the whole call, in whole seconds, rounded up
//	{timeout-ms}          the same in milliseconds
//	{attempt-timeout}     the deadline of one attempt, in whole seconds, rounded up
//	{attempt-timeout-ms}  the same in milliseconds
//	{header...}           the headers: see below
//	{body-file}           a file with the request's body, empty for none
//	{output}              a file that is not there yet, to write the answer's body to
//	{ca-file}             a PEM file with the authorities to trust: see below
//
// {header...} is an argument of its own behind an option. The two are repeated
// for each header, and vanish when there are none: -H {header...} becomes
// -H 'A: b' -H 'C: d'. {ca-file} has a value where the call is made over TLS; else
// its argument is left out, with the option before it: --cacert {ca-file}.
//
// Other words in braces are errors, so that a slip is not sent to the command
// as it stands. {{word}} is the text {word}; a brace behind $ or % belongs to
// the command (a shell's ${word}, curl's %{http_code}) and is left alone.
//
// # Environment
//
// The command gets the same values as variables: FAULTSRV_URL,
// FAULTSRV_BACKOFF_MS and so on, FAULTSRV_HEADERS with a line for each header.
// FAULTSRV_BODY_FILE, FAULTSRV_OUTPUT and FAULTSRV_CA_FILE are set only where they
// are used. An argument that names a variable (sh -c 'curl "$FAULTSRV_URL"') uses
// it just as a placeholder would; what a program reads without naming it is
// declared in [Options.Reads].
//
// FAULTSRV_RUN is different in each run. NO_PROXY has the loopback address
// added, or else a proxy of the user's would be judged in the command's place.
//
// # What can be judged
//
// What the command can be told, and so its capabilities, follows from the
// placeholders that it uses; [Subject.Notes] says it in words. Never among them
// are cancel (a signal is not a caller's cancellation) and shared (a process
// makes one call); status is where [Options.Status] says where it is told, and
// error-kind where [Options.ExitKinds] maps exit statuses. Standard output is not
// taken for the answer's body, since some commands print every attempt's.
//
// # No process is left
//
// A run has its own process group (on Windows a job). When the call's time is
// over the group gets SIGTERM and, half a second later, SIGKILL; and so does
// whatever the command leaves running when it ends by itself, which the
// outcome's note tells. On Linux this reaches a process that left the group,
// too, as long as it still has FAULTSRV_RUN in its environment. On other
// systems it is out of reach, and so are on Windows the processes that a command
// starts in the instant before it is put into its job. Windows has no SIGTERM: the
// command gets CTRL_BREAK where it shares our console.
//
// So it is where this process is killed or crashes. On Windows the job ends with
// it. Elsewhere its program is started a second time, as faultsrv-survivor, with the
// first command: that does nothing but wait for our end, and end the commands then.
// Only who kills both leaves them running.
package command
