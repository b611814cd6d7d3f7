package faultserver

// Body is the content of a request or of an answer: a text, or a number of
// bytes drawn from a seed. The zero value is no body.
type Body struct {
	// Text is sent as it is. It excludes Size.
	Text string `yaml:"text"`
	// Size is how many bytes are drawn from Seed (ChaCha8), the same each time.
	Size Size   `yaml:"size"`
	Seed uint64 `yaml:"seed"`
	// Stream asks the client to send the body as a stream that can be read only
	// once; it has no meaning for an answer.
	Stream bool `yaml:"stream"`
}
