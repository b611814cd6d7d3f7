package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/scenarios"
)

// HaveSame matches where each of the fields is equal in all attempts of a call.
// Fields are method, target, proto and header.NAME; absent from all is equal.
func HaveSame(fields ...scenarios.Field) types.GomegaMatcher {
	return expect(written("HaveSame", fields...), scenarios.Expectation{Same: fields})
}

// HaveDistinct matches where no two calls share a value of a field; a request
// without it fails.
func HaveDistinct(fields ...scenarios.Field) types.GomegaMatcher {
	return expect(written("HaveDistinct", fields...), scenarios.Expectation{Distinct: fields})
}

// HavePresent matches where every attempt has the fields.
func HavePresent(fields ...scenarios.Field) types.GomegaMatcher {
	return expect(written("HavePresent", fields...), scenarios.Expectation{Present: fields})
}

// HaveDropped matches where each call that made two attempts or more has the fields
// in its first one, and in none after it.
func HaveDropped(fields ...scenarios.Field) types.GomegaMatcher {
	return expect(written("HaveDropped", fields...), scenarios.Expectation{Dropped: fields})
}

// HaveAbsent matches where no attempt has any of the fields. Its negation is
// that one of them is somewhere; for everywhere, say HavePresent.
func HaveAbsent(fields ...scenarios.Field) types.GomegaMatcher {
	return expect(written("HaveAbsent", fields...), scenarios.Expectation{Absent: fields})
}
