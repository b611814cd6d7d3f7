package resilient_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestPlugins(t *testing.T) {
	rule(t, "S1: OnRequestStart before each attempt, OnRequestEnd for each response whatever its status, OnError for each error, in order", func(t *testing.T, g Gomega) {
		var log []string
		c := client(g, plays(answers(503), fails(errReset), answers(404)), resilient.WithRetryCount(5))
		c.AddPlugin(&plugin{name: "a", log: &log})
		c.AddPlugin(nil)
		c.AddPlugin(&plugin{name: "b", log: &log})
		_, err := c.Get(upstream, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(log).To(Equal([]string{
			"a start", "b start", "a end 503", "b end 503",
			"a start", "b start", "a error connection reset by peer", "b error connection reset by peer",
			"a start", "b start", "a end 404", "b end 404",
		}))
	})
	rule(t, "S1: the context's error in a pause is told to the plugins", func(t *testing.T, g Gomega) {
		var log []string
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		c := client(g, plays(answers(503)), resilient.WithRetryCount(5), constantly(time.Hour))
		c.AddPlugin(&plugin{name: "a", log: &log})
		_, err := c.GetContext(ctx, upstream, nil)
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(log).To(Equal([]string{"a start", "a end 503", "a error context canceled"}))
	})
	rule(t, "a plugin added during a call is told of the next one", func(t *testing.T, g Gomega) {
		var log []string
		c := client(g, plays(answers(200)))
		c.AddPlugin(&plugin{onStart: func(*http.Request) { c.AddPlugin(&plugin{name: "late", log: &log}) }})
		for range 2 {
			_, err := c.Get(upstream, nil)
			g.Expect(err).NotTo(HaveOccurred())
		}
		g.Expect(log).To(Equal([]string{"late start", "late end 200"}))
	})
}

type plugin struct {
	name    string
	log     *[]string
	onStart func(*http.Request)
}

func (p *plugin) write(text string) {
	if p.log != nil {
		*p.log = append(*p.log, p.name+" "+text)
	}
}

func (p *plugin) OnRequestStart(req *http.Request) {
	p.write("start")
	if p.onStart != nil {
		p.onStart(req)
	}
}

func (p *plugin) OnRequestEnd(_ *http.Request, resp *http.Response) {
	p.write("end " + strconv.Itoa(resp.StatusCode))
}

func (p *plugin) OnError(_ *http.Request, err error) { p.write("error " + err.Error()) }
