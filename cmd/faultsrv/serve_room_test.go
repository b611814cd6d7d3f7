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
		passes, api  bool
		want         room
	}{
		{0, 16384, false, false, room{clients: 16384, own: 16384}},
		{1 << 20, 16384, false, false, room{clients: 16384}},
		{1024, 16384, false, false, room{clients: 768, files: 1024}},
		{1024, 16384, true, false, room{clients: 384, files: 1024}},
		{1024, 0, false, false, room{clients: 768, files: 1024}},
		{1024, 100, false, false, room{clients: 100}},
		{1, 1, true, false, room{clients: 1, files: 1}},

		{1 << 20, 16384, false, true, room{clients: 16384, own: 16384, api: 512, listeners: 1 << 17}},
		{1024, 16384, false, true, room{clients: 512, own: 128, api: 128, listeners: 128, files: 1024}},
		{1024, 16384, true, true, room{clients: 256, own: 64, api: 128, listeners: 128, files: 1024}},
		{1024, 100, false, true, room{clients: 100, own: 100, api: 128, listeners: 128}},
		{64, 0, false, true, room{clients: 32, own: 8, api: 8, listeners: 8, files: 64}},
		{1, 1, true, true, room{clients: 1, own: 1, api: 1, listeners: 1, files: 1}},
	} {
		got := roomFor(one.files, one.asked, one.passes, one.api)
		if got != one.want {
			t.Errorf("%d files, %d connections, passes %t, API %t: %+v; want %+v", one.files, one.asked, one.passes, one.api, got, one.want)
		}
		if taken := got.clients + got.own + got.api + got.listeners; one.files > 8 && taken > one.files/8*7 {
			t.Errorf("%d files: %+v takes %d of them; want an eighth left for the rest", one.files, got, taken)
		}
	}
	var limits control.Limits
	room{clients: 48, own: 12, api: 8, listeners: 6}.limit(&limits)
	if limits != (control.Limits{SessionConnections: 12, OwnConnections: 12, Connections: 8, ListenerFiles: 6}) {
		t.Errorf("%+v; want what there is room for", limits)
	}
	room{}.limit(&limits)
	if limits.SessionConnections != control.DefaultSessionConnections {
		t.Errorf("%+v; want the default bound of sessions", limits)
	}
}
