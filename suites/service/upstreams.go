package service

import (
	"errors"
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver"
)

// mostSmallTalk bounds what is recorded of requests that are no part of a
// contract.
const mostSmallTalk = 10_000

// upstreams are the servers that faultsrv plays.
type upstreams struct {
	hosts []*faultserver.Host
	// judged is the one that gets the judged call.
	judged *faultserver.Host
	// dressing is what every session of the judged upstream has: which requests are
	// the judged call, and what the others get.
	dressing faultserver.Config
	// success is the answer that the service takes as success.
	success faultserver.Answer
}

// listen opens the upstreams. Those that do not get the judged call answer by
// themselves from here on, and so does that one until a session takes its place.
func listen(p Profile) (*upstreams, error) {
	u := &upstreams{success: p.Upstreams[p.Match.Upstream].success()}
	for _, name := range p.upstreamNames() {
		upstream := p.Upstreams[name]
		host, err := faultserver.Listen(upstream.Listen, faultserver.ByBaggage())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("upstream %s: %w", name, err), u.close())
		}
		u.hosts = append(u.hosts, host)
		if name == p.Match.Upstream {
			u.judged = host
			u.dressing = upstream.otherwise(p)
			u.dressing.Match = p.Match.Match
			continue
		}
		if _, err := host.Default(upstream.unjudged(p)); err != nil {
			return nil, errors.Join(fmt.Errorf("upstream %s: %w", name, err), u.close())
		}
	}
	return u, nil
}

// success is the upstream's success answer.
func (u *Upstream) success() faultserver.Answer {
	if u.Succeed == nil {
		return faultserver.Answer{}
	}
	return u.Succeed.Answer
}

// otherwise has what the upstream answers requests that are no judged call.
func (u *Upstream) otherwise(p Profile) faultserver.Config {
	otherwise := u.Otherwise
	if otherwise == nil {
		otherwise = p.Otherwise
	}
	config := faultserver.Config{}
	if otherwise != nil {
		config.Stubs, config.Pass = otherwise.stubs, otherwise.Pass
		if otherwise.Respond != nil {
			config.Otherwise = otherwise.Respond.Answer
		}
	}
	return config
}

// unjudged is how an upstream answers that never gets the judged call.
func (u *Upstream) unjudged(p Profile) faultserver.Config {
	config := u.otherwise(p)
	config.NoAttempts = u.Otherwise != nil || p.Otherwise != nil && u.Succeed == nil
	config.Success = u.success()
	config.Script = []faultserver.Step{{Act: faultserver.Succeed{}, Times: faultserver.Forever}}
	config.MaxAttempts = mostSmallTalk
	return config
}

// dress makes a session's config one of the judged upstream.
func (u *upstreams) dress(config faultserver.Config) faultserver.Config {
	config.Match, config.Otherwise = u.dressing.Match, u.dressing.Otherwise
	config.Stubs, config.Pass = u.dressing.Stubs, u.dressing.Pass
	config.Success = u.success
	return config
}

// interlude is a session for what comes outside any contract: it answers every
// judged call with success.
func (u *upstreams) interlude() faultserver.Config {
	return u.dress(faultserver.Config{
		ID:          "interlude",
		Script:      []faultserver.Step{{Act: faultserver.Succeed{}, Times: faultserver.Forever}},
		MaxAttempts: mostSmallTalk,
	})
}

func (u *upstreams) close() error {
	var problems []error
	for _, host := range u.hosts {
		problems = append(problems, host.Close())
	}
	return errors.Join(problems...)
}
