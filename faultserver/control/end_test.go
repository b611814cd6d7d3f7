package control_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver/control"
)

var _ = Describe("The end of a server", func() {
	connect := func(api *service) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(api.server.URL(), "http://"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close)
		return conn
	}

	It("waits for no connection that has not said anything", func() {
		api := start(control.Options{})
		silent := connect(api)
		Expect(ask(api.server.URL()+"/healthz")).To(Equal(200), "the silent one has been accepted before")
		begun := time.Now()
		Expect(api.server.Close(ctx)).To(Succeed())
		// net/http gives such connections 5 s.
		Expect(time.Since(begun)).To(BeNumerically("<", 4*time.Second))
		_, err := silent.Read(make([]byte, 1))
		Expect(err).To(HaveOccurred())
	})

	It("finishes a request, and gives up one that does not come to its end in time", func() {
		api := start(control.Options{})
		slow, prompt := connect(api), connect(api)
		const body = `{"script":"200"}`
		for _, conn := range []net.Conn{slow, prompt} {
			_, err := fmt.Fprintf(conn, "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
			Expect(err).NotTo(HaveOccurred())
			heard := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
			_, err = io.ReadFull(conn, heard)
			Expect(err).NotTo(HaveOccurred())
		}
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		ended := make(chan error)
		go func() { ended <- api.server.Close(soon) }()
		Eventually(func() error { _, err := http.Get(api.server.URL() + "/healthz"); return err }).Should(HaveOccurred(), "it ends")
		_, err := fmt.Fprint(prompt, body)
		Expect(err).NotTo(HaveOccurred())
		answer, err := io.ReadAll(prompt)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(answer)).To(HavePrefix("HTTP/1.1 201 "))
		Expect(<-ended).To(Succeed(), "a client that is slow is no failure of the server's")
	})
})
