package faultserver

import (
	"bytes"
	"compress/gzip"
	"fmt"
)

// mostGzip bounds a body that is compressed, which is done in memory.
const mostGzip = 16 << 20

// Encoded is the answer as it goes over the wire: with Gzip, its body is the
// compressed one and a Content-Encoding line is there. Without it, it is the
// answer itself.
func (a Answer) Encoded() Answer {
	if !a.Gzip {
		return a
	}
	a.Body = Body{Text: string(gzipped(a.Body.Bytes()))}
	a.Headers = append(a.Headers[:len(a.Headers):len(a.Headers)], Header{"Content-Encoding", "gzip"})
	a.Gzip = false
	return a
}

// gzipped is content compressed, the same each time.
func gzipped(content []byte) []byte {
	var to bytes.Buffer
	w := gzip.NewWriter(&to)
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return to.Bytes()
}

// gzipProblems are what is wrong with an answer's compression.
func (a Answer) gzipProblems() []error {
	var problems []error
	if !a.Gzip {
		return nil
	}
	if a.Body.Len() > mostGzip {
		problems = append(problems, fmt.Errorf("gzip: a body of %d bytes; want at most %s", a.Body.Len(), Size(mostGzip)))
	}
	if bodyless(a.statusOr(200)) {
		problems = append(problems, fmt.Errorf("gzip: status %d has no body to compress", a.Status))
	}
	for _, name := range []string{"Content-Encoding", "Content-Length"} {
		if a.Headers.Values(name) != nil {
			problems = append(problems, fmt.Errorf("gzip: %s is the engine's to add; leave it out", name))
		}
	}
	return problems
}
