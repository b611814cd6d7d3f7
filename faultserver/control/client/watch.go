package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// ErrEnded is matched by Watch's error when the server ended the stream: the
// session is over, or the reader was too slow.
var ErrEnded = errors.New("the stream of attempts has ended")

// Watch tells of each attempt of a session when it arrives (Open is then true)
// and when it has ended, those before the call included. It returns the context's
// error, what see returns, or an error that matches ErrEnded and says why.
func (c *Client) Watch(ctx context.Context, id string, see func(faultserver.Attempt) error) error {
	response, err := c.send(ctx, http.MethodGet, path(id, "events"), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for kind := ""; ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("watch session %s: %w without a reason", id, ErrEnded)
			}
			return err
		}
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		switch {
		case key == "event":
			kind = value
		case key == "data" && kind == "end":
			return fmt.Errorf("watch session %s: %w: %s", id, ErrEnded, value)
		case key == "data":
			var attempt faultserver.Attempt
			if err := json.Unmarshal([]byte(value), &attempt); err != nil {
				return fmt.Errorf("watch session %s: %w", id, err)
			}
			if err := see(attempt); err != nil {
				return err
			}
		}
	}
}
