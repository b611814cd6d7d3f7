package assertions

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Evidence is everything that a verdict is made from. All times are on the
// journal's clock.
type Evidence struct {
	// Contract is the contract, prepared (defaults filled in).
	Contract *scenarios.Contract
	// Policy is the policy in force: the contract's field where the client could
	// be told it, else what the client's profile declares. A nil field is not
	// known, and a check that reads it is not observed.
	Policy scenarios.Policy
	// Journal is the server's record, taken after the watch.
	Journal faultserver.Journal
	// Calls are in the order in which they were started.
	Calls []CallRecord
	// Success is the answer that this client takes as success.
	Success faultserver.Answer
	// Capabilities are the client's.
	Capabilities []scenarios.Capability
	// Lateness is the worst lateness of the machine while the contract ran: of a
	// timer, or of a client's process that waited for its turn.
	Lateness time.Duration
	// Watched is how long late attempts were looked for after the last return.
	Watched time.Duration
	// HarnessError tells that the harness could not do its part; empty otherwise.
	HarnessError string
	// ClientError tells that the client could not be run; empty otherwise.
	ClientError string
	// Unfinished says why the calls were not all made to their end; empty where they
	// were. What was seen until then is reported and judges nobody.
	Unfinished string
}

// CallRecord is one call (one repeat of it) as the runner made it.
type CallRecord struct {
	Token string
	Name  string
	// Method, Path and Body are what the client was asked to send.
	Method string
	Path   string
	Body   faultserver.Body
	// BodyFromFirst tells that the client chose its request itself, so that the
	// body's source is what the first attempt that came whole carried.
	BodyFromFirst bool
	// Started is stamped before the client was asked, Returned after it
	// answered. Cancelled is when the cancellation was given, 0 when none was before
	// the return.
	Started   time.Duration
	Cancelled time.Duration
	Returned  time.Duration
	// Unreturned tells that nobody said when the call returned: Returned is then the end
	// of its last attempt.
	Unreturned bool
	// EndedAt is when the runner ended the call, which had not returned in the time
	// that a call is given; 0 where it returned by itself.
	EndedAt time.Duration
	Outcome scenarios.Outcome
}
