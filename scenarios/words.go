package scenarios

import (
	"maps"
	"reflect"
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
)

// words are the closed lists of the format: for each type, all that it can be
// written as.
var words = collect(
	list(Must, Should, Observe),
	list(Standard, Safety, Promise, Practice),
	list(StrengthMust, StrengthMustNot, StrengthShould, StrengthShouldNot, StrengthRecommended, StrengthMay),
	list(Plain, TLS, H2, H2C),
	list(FreshClient, SharedClient),
	list(RunAlone),
	list(CanRetry, CanAttempts, CanBackoff, CanTimeout, CanAttemptTimeout, CanMethod, CanHeaders, CanRequestBody, CanStreamedBody,
		CanCancel, CanShared, CanParallel, CanStatus, CanErrorKind, CanResponseBody, CanIdempotencyKey,
		CanBreaker, CanBudget, CanHedge, CanTLS, CanHTTP2),
	list(NoJitter, FullJitter, EqualJitter, DecorrelatedJitter),
	list(BodySource),
	list(BodyComplete),
	list(ErrTimeout, ErrCanceled, ErrConnect, ErrReset, ErrTruncated, ErrProtocol, ErrExhausted, ErrCircuitOpen,
		ErrBudget, ErrNotReplayable, ErrPermanent, ErrOther, AnyError),
	list(faultserver.FailAfterScript, faultserver.RepeatAfterScript, faultserver.LoopAfterScript),
	list(faultserver.FreshConnection, faultserver.ReusedConnection),
	list(faultserver.CommitAlways, faultserver.CommitByKey),
	list(faultserver.Started, faultserver.Returned, faultserver.AllOthersReturned, faultserver.Arrived,
		faultserver.Answered, faultserver.Struck),
	list(faultserver.EndFIN, faultserver.EndRST, faultserver.EndStall, faultserver.EndKeep),
	list(faultserver.CutInsideChunk, faultserver.CutBetweenChunks, faultserver.CutBeforeLastCRLF),
	list(faultserver.FramingLength, faultserver.FramingChunked, faultserver.FramingClose),
	list(faultserver.BadChunkSize, faultserver.BadCRLF, faultserver.TwoLengths, faultserver.TwoLengthsFirst, faultserver.LengthAndChunked,
		faultserver.OversizedHead, faultserver.BadStatusLine, faultserver.WrongDigest, faultserver.BrokenGzip),
	list(faultserver.Down, faultserver.Up, faultserver.Both),
	list(faultserver.WaitSeconds, faultserver.WaitIMFFixdate, faultserver.WaitRFC850, faultserver.WaitAsctime,
		faultserver.WaitPast, faultserver.WaitInvalid, faultserver.WaitHuge, faultserver.WaitNothing),
	list(faultserver.TLSExpired, faultserver.TLSWrongHost, faultserver.TLSUntrusted, faultserver.TLSAlert, faultserver.TLSNoCloseNotify),
	list(faultserver.BasicChallenge, faultserver.BearerChallenge, faultserver.DigestChallenge),
	list(faultserver.RejectWhenFull, faultserver.DelayWhenFull),
	list(faultserver.ContinueSent, faultserver.ContinueLate, faultserver.ContinueNever),
	list(faultserver.IMFFixdate, faultserver.RFC850, faultserver.Asctime),
)

// Words are the words of the closed lists by their type, for the schema and
// the reference.
func Words() map[reflect.Type][]string { return maps.Clone(words) }

// A Worded type is a closed list of another format that is read by
// [DecodeStrict]: a string that is written as one of its words.
type Worded interface {
	// Words are all that it can be written as. The value that it is asked of is
	// the zero value.
	Words() []string
}

var wordedType = reflect.TypeFor[Worded]()

// closedList is all that a type can be written as; nil for one that is no
// closed list.
func closedList(t reflect.Type) []string {
	if known := words[t]; known != nil || t.Kind() != reflect.String || !t.Implements(wordedType) {
		return known
	}
	return reflect.Zero(t).Interface().(Worded).Words() //nolint:forcetypeassert // asked above
}

type wordList struct {
	of    reflect.Type
	words []string
}

func list[T ~string](all ...T) wordList {
	l := wordList{of: reflect.TypeFor[T]()}
	for _, word := range all {
		l.words = append(l.words, string(word))
	}
	return l
}

func collect(lists ...wordList) map[reflect.Type][]string {
	all := make(map[reflect.Type][]string, len(lists))
	for _, l := range lists {
		all[l.of] = l.words
	}
	return all
}

// known tells whether a word is in the closed list of T.
func known[T ~string](word T) bool {
	return slices.Contains(words[reflect.TypeFor[T]()], string(word))
}

// wordsOf is the closed list of T.
func wordsOf[T ~string]() []T {
	var all []T
	for _, word := range words[reflect.TypeFor[T]()] {
		all = append(all, T(word))
	}
	return all
}
