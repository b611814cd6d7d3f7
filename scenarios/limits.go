package scenarios

// What a contract file may ask for. The limits lie far above what a contract
// needs, and low enough that no file makes the loader or the runner run out of
// memory.
const (
	// MaxFileSize is the largest contract file, in bytes.
	MaxFileSize = 1 << 20
	// MaxDepth is how deep a file may nest; the format itself needs 12.
	MaxDepth = 64
	// MaxDocuments is how many contracts a file may hold.
	MaxDocuments = 1000
	// MaxCalls is how many calls a contract may list; `repeat` counts as one.
	MaxCalls = 1000
	// MaxItems is how many items a list and how many keys a mapping may have.
	MaxItems = 10_000
	// MaxSteps is how many steps a script may list; `times` counts as one.
	MaxSteps = 10_000
	// MaxBody is the largest body, in bytes.
	MaxBody = 256 << 20
	// MaxRequests bounds calls × repeats × attempts of one contract; the
	// journal holds as many entries.
	MaxRequests = 100_000
	// maxProblems is how many problems of a file are listed: a reader mends the
	// first ones first.
	maxProblems = 100
)
