package main

import (
	"testing"

	"github.com/faultsrv/faultsrv/faultserver/control"
)

// TestRoomForConnections leaves files for the control API and the rest, however
// many connections are asked for.
func TestRoomForConnections(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		files, asked int
		passes       bool
		want         room
	}{
		{0, 16384, false, room{clients: 16384}},
		{1 << 20, 16384, false, room{clients: 16384, api: 512}},
		{1 << 20, 16384, true, room{clients: 16384, api: 512}},
		{1024, 16384, false, room{clients: 768, api: 128, files: 1024}},
		{1024, 16384, true, room{clients: 384, api: 128, files: 1024}},
		{1024, 0, false, room{clients: 768, api: 128, files: 1024}},
		{1024, 100, false, room{clients: 100, api: 128}},
		{64, 16384, false, room{clients: 48, api: 8, files: 64}},
		{1, 1, true, room{clients: 1, api: 1, files: 1}},
	} {
		if got := roomFor(one.files, one.asked, one.passes); got != one.want {
			t.Errorf("%d files, %d connections, passes %t: %+v; want %+v", one.files, one.asked, one.passes, got, one.want)
		}
	}
	var limits control.Limits
	room{clients: 48, api: 8}.limit(&limits)
	if limits.SessionConnections != 48 || limits.Connections != 8 {
		t.Errorf("%+v; want what there is room for", limits)
	}
	room{}.limit(&limits)
	if limits.SessionConnections != control.DefaultSessionConnections {
		t.Errorf("%+v; want the default bound of sessions", limits)
	}
}
