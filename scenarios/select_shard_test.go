package scenarios

import (
	"testing"

	"pgregory.net/rapid"
)

func TestEachContractIsInExactlyOneShard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.String().Draw(t, "id")
		of := rapid.IntRange(1, 64).Draw(t, "of")
		in := 0
		for index := -1; index <= of+1; index++ {
			if InShard(id, index, of) {
				in++
			}
		}
		if in != 1 {
			t.Fatalf("%q is in %d of %d shards", id, in, of)
		}
	})
}

// Machines of different versions share a run: where a contract belongs must
// never change.
func TestShardsAreStable(t *testing.T) {
	t.Parallel()
	for id, index := range map[string]int{
		"attempts.exact-count":         2,
		"body.replay-after-503":        2,
		"retry-after.seconds-on-503":   3,
		"cancellation.wakes-the-sleep": 4,
	} {
		if !InShard(id, index, 5) {
			t.Errorf("%s is no longer in shard %d of 5", id, index)
		}
	}
}

// A shard that gets nothing proves nothing, so the catalogue has to spread.
func TestTheCatalogueSpreads(t *testing.T) {
	t.Parallel()
	contracts, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	const of = 4
	for index := 1; index <= of; index++ {
		in := 0
		for _, c := range contracts {
			if InShard(c.ID, index, of) {
				in++
			}
		}
		if least := len(contracts) / (2 * of); in < least {
			t.Errorf("shard %d of %d has %d of %d contracts, expected at least %d", index, of, in, len(contracts), least)
		}
	}
}

func TestNoShardIsNone(t *testing.T) {
	t.Parallel()
	for _, shard := range [][2]int{{1, 0}, {0, 1}, {2, 1}, {-1, -1}, {0, 0}} {
		if InShard("body.replay-after-503", shard[0], shard[1]) {
			t.Errorf("in shard %d of %d, which does not exist", shard[0], shard[1])
		}
	}
}
