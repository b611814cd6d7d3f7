// Package matrix has many clients judged by the same contracts: what a matrix of
// contracts × clients is made of.
//
// [Find] finds the clients: those that have a profile somewhere under a folder, and
// those that are written in Go and part of this module. [Entrant.Judge] judges one, [JudgeAll] a few at a time.
// A client that is broken on purpose is none of them.
//
// A new kind of client is found in find.go; what is kept and shown of the results
// is for reports to say.
package matrix
