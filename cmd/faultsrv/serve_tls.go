package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
)

// tlsOptions are the flags of the serve command about TLS.
type tlsOptions struct {
	on    bool
	caOut string
}

func (o *tlsOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "tls", false, "speak TLS to clients, with certificates of a test authority that is made at the start; sessions with a listener of their own speak what they ask for")
	flags.StringVar(&o.caOut, "ca-out", "", "write the certificate of the test authority to this `FILE`, in PEM, for clients that are to trust it; an older file is overwritten")
}

// scheme is what the listener of --listen is called by.
func (o *tlsOptions) scheme() string {
	if o.on {
		return "https"
	}
	return "http"
}

// writeAuthority writes what clients are to trust. It fails where nothing speaks
// TLS, which a client would find out later.
func (o *tlsOptions) writeAuthority(session faultserver.Config, shared bool) error {
	if o.caOut == "" {
		return nil
	}
	if !session.TLS && !shared {
		return errors.New("--ca-out: nothing here speaks TLS; add --tls, or --control for sessions that do")
	}
	authority, err := faultserver.SharedAuthority()
	if err == nil {
		err = writeWhole(o.caOut, text(string(authority.PEM())))
	}
	if err != nil {
		return couldNotRun(fmt.Errorf("--ca-out: expected a file that can be written: %w", err))
	}
	return nil
}

// hostOptions are those of the listener that sessions share.
func (o *tlsOptions) hostOptions() ([]faultserver.HostOption, error) {
	if !o.on {
		return nil, nil
	}
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		return nil, couldNotRun(fmt.Errorf("--tls: %w", err))
	}
	return []faultserver.HostOption{faultserver.Secured(authority)}, nil
}
