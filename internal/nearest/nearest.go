// Package nearest guesses which word was meant by one that nobody knows, for the
// messages of whatever reads words.
package nearest

import "unicode/utf8"

// Word is the word that a reader may have meant by what was written, empty if none
// is near: one slip for every three characters, and at least one.
func Word(written string, words []string) string {
	const longest = 64 // no word that is read is longer; it bounds the work
	if utf8.RuneCountInString(written) > longest {
		return ""
	}
	best, least := "", max(1, utf8.RuneCountInString(written)/3)+1
	for _, word := range words {
		if d := distance(written, word); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance counts the slips between two words: a character too many, one
// missing, another one, or two neighbours swapped.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			replaced := last[j-1]
			if s[i-1] != t[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
