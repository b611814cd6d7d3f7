package scenarios

import "hash/fnv"

// InShard tells whether a contract belongs to a shard of a run that is cut into
// several: index counts from 1 to of. It depends on nothing but the id, so that
// machines that agree on `of` need no other agreement, and a contract stays in
// its shard when others come and go. Each id is in exactly one of the shards;
// with an index outside 1..of it is in none.
func InShard(id string, index, of int) bool {
	if of < 1 || index < 1 || index > of {
		return false
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id)) // a hash takes everything
	return hash.Sum64()%uint64(of) == uint64(index-1)
}
