package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// hear takes a line of the driver and tells whoever waits for it. It says what
// is wrong with a line that breaks the protocol.
func (c *conversation) hear(line []byte) *Fault {
	var head struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil || head.Type == nil {
		return notAMessage(line, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.greets == 0 && *head.Type != typeHello {
		return &Fault{
			Expected: "hello as the first message",
			Got:      "the message " + quoted(string(line)),
			Do:       "say hello before anything else",
		}
	}
	switch *head.Type {
	case typeHello:
		return decoded(line, *head.Type, c.hearHello)
	case typeOpened:
		return decoded(line, *head.Type, func(o opened) *Fault { return answer(c.opening, typeOpened, typeOpen, o.Client, o, nil) })
	case typeClosed:
		return decoded(line, *head.Type, func(a closed) *Fault { return answer(c.closing, typeClosed, typeClose, a.Client, a, c.unheard) })
	case typeResult:
		return decoded(line, *head.Type, c.hearResult)
	default:
		return &Fault{
			Expected: "a message of type " + strings.Join(fromDriver, ", "),
			Got:      fmt.Sprintf("type %q%s in %s", *head.Type, didYouMean(*head.Type, fromDriver), quoted(string(line))),
			Do:       "send only these; what is for people goes to standard error",
		}
	}
}

func notAMessage(line []byte, err error) *Fault {
	fault := &Fault{
		Expected: `one JSON object with a "type" on each line of standard output, and nothing else there`,
		Got:      "the line " + quoted(string(line)),
		Do:       "send what is for people, and what a library prints, to standard error",
	}
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		fault.Got = "an empty line"
	case err != nil:
		fault.Got += fmt.Sprintf(" (%v)", err)
	}
	return fault
}

// decoded gives a message to whoever takes it, or says what in it is not of the
// type that it has to be.
func decoded[M any](line []byte, name string, take func(M) *Fault) *Fault {
	var message M
	err := json.Unmarshal(line, &message)
	if err == nil {
		return take(message)
	}
	fault := &Fault{
		Expected: "a " + name + " as the protocol describes it",
		Got:      fmt.Sprintf("%v in %s", err, quoted(string(line))),
		Do:       "mend the field",
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		fault.Expected = fmt.Sprintf("%s in field %q of a %s", jsonType(wrong.Type.Kind().String()), wrong.Field, name)
		fault.Got = fmt.Sprintf("a %s, in %s", wrong.Value, quoted(string(line)))
	}
	return fault
}

// jsonType is what a kind of Go type is in JSON.
func jsonType(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "slice":
		return "a list"
	case kind == "struct", kind == "ptr":
		return "an object"
	default:
		return "a " + kind
	}
}

func (c *conversation) hearHello(h hello) *Fault {
	if c.greets++; c.greets > 1 {
		return &Fault{Expected: "one hello", Got: "a second one", Do: "say hello once, as the first message"}
	}
	if fault := h.check(); fault != nil {
		return fault
	}
	c.hello = h
	close(c.greeted)
	return nil
}

// answer gives an answer about a client to whoever waits for it; one that
// nobody waits for any more is expected once.
func answer[A any](waiting map[int64]chan A, name, question string, client int64, message A, unheard map[int64]bool) *Fault {
	if waiter, ok := waiting[client]; ok {
		delete(waiting, client)
		waiter <- message
		return nil
	}
	if unheard[client] {
		delete(unheard, client)
		return nil
	}
	return &Fault{
		Expected: fmt.Sprintf("one %s for each %s, with its client", name, question),
		Got:      fmt.Sprintf("%s for client %d, which nobody is waiting for", name, client),
		Do:       fmt.Sprintf("answer each %s once, with its own number", question),
	}
}

func (c *conversation) hearResult(r result) *Fault {
	if waiter, ok := c.calls[r.Seq]; ok {
		delete(c.calls, r.Seq)
		waiter <- r
		return nil
	}
	if _, ok := c.givenUp[r.Seq]; ok {
		delete(c.givenUp, r.Seq)
		return nil
	}
	fault := &Fault{
		Expected: "one result for each run, with its seq",
		Got:      fmt.Sprintf("a result for seq %d, which was never asked for", r.Seq),
		Do:       "answer each run once, with its own seq, also one that is cancelled",
	}
	if 1 <= r.Seq && r.Seq <= c.seqs {
		fault.Got = fmt.Sprintf("a second result for seq %d", r.Seq)
	}
	return fault
}
