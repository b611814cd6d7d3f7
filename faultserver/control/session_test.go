package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

var ctx = context.Background()

var _ = Describe("A session", func() {
	It("is made from a one-line script, and played under its URL", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "demo", Script: "503x2,200"})
		Expect(session.URL).To(Equal(api.host.URL() + "/s/demo"))
		Expect(session.Judged).To(BeFalse())
		Expect([]int{ask(session.URL + "/x"), ask(session.URL), ask(session.URL), ask(session.URL)}).To(Equal([]int{503, 503, 200, 500}))
		shown, err := api.Session(ctx, "demo")
		Expect(err).NotTo(HaveOccurred())
		Expect(shown.Attempts).To(Equal(4))
		Expect(shown.JournalBytes).To(BeNumerically(">", 4000))
		Expect(*shown.Expires).To(BeTemporally("~", time.Now().Add(time.Hour), time.Minute))
	})

	It("has the settings that were asked for", func() {
		api := start(control.Options{Seed: 7})
		seed := uint64(0)
		session := api.create(client.NewSession{Script: "200", AfterScript: "repeat", Seed: &seed, MaxAttempts: 2, KeepBodies: true, TTL: "90s"})
		Expect(session.ID).To(MatchRegexp("^[0-9a-f]{16}$"))
		Expect(*session.Expires).To(BeTemporally("~", time.Now().Add(90*time.Second), 5*time.Second))
		for range 3 {
			response, err := http.Post(session.URL, "text/plain", strings.NewReader("kept"))
			Expect(err).NotTo(HaveOccurred())
			Expect(response.Body.Close()).To(Succeed())
			Expect(response.StatusCode).To(Equal(200))
		}
		journal, err := api.Journal(ctx, session.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Seed).To(BeZero())
		Expect(journal.Attempts).To(HaveLen(2))
		Expect(journal.Dropped).To(Equal(1))
		Expect(string(journal.Attempts[0].Body.Kept)).To(Equal("kept"))
		other := api.create(client.NewSession{Script: "200"})
		journal, err = api.Journal(ctx, other.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Seed).To(Equal(uint64(7)))
	})

	It("is made from a contract, with the calls to make and what to tell the client", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "c", Contract: "known.rule"})
		Expect(session.Contract).To(Equal("known.rule"))
		Expect(session.Title).To(Equal("A rule that is known"))
		Expect(session.Policy).To(HaveKeyWithValue("attempts", BeNumerically("==", 3)))
		Expect(session.Links).To(HaveKeyWithValue("verdict", "/v1/sessions/c/verdict"))
		Expect(session.Calls).To(Equal([]client.Call{
			{Token: "first", Name: "first", Method: "GET", URL: session.URL + "/c/first/a"},
			{Token: "second", Name: "second", Method: "PUT", URL: session.URL + "/c/second/b", Headers: faultserver.Headers{{Name: "X-Given", Value: "1"}}, BodyURL: "/v1/sessions/c/calls/second/body", BodyLength: 100 << 10},
		}))
		Expect(ask(session.Calls[1].URL)).To(Equal(201))
	})

	It("is made from a document: an object, its text, or a body in YAML", func() {
		var seen []string
		api := start(control.Options{Parse: func(document []byte) (control.Scenario, error) {
			seen = append(seen, string(document))
			return control.Scenario{ID: "own.rule", Config: faultserver.Config{Script: script("418")}}, nil
		}})
		api.create(client.NewSession{Scenario: json.RawMessage(`{"id":"x"}`)})
		api.create(client.NewSession{Scenario: asJSON("id: y\n")})
		status, answer := api.say("POST", "/v1/sessions?id=mine&own_listener=true&ttl=2m&keep_bodies=1", "id: z\n", "Content-Type", "application/yaml; charset=utf-8")
		Expect(status).To(Equal(201), answer)
		Expect(seen).To(Equal([]string{`{"id":"x"}`, "id: y\n", "id: z\n"}))
		mine, err := api.Session(ctx, "mine")
		Expect(err).NotTo(HaveOccurred())
		Expect(mine.OwnListener).To(BeTrue())
		Expect(ask(mine.URL + "/")).To(Equal(418))
	})

	It("has a listener of its own where it is asked for, and needs one for its connections", func() {
		api := start(control.Options{Parse: func([]byte) (control.Scenario, error) {
			return control.Scenario{Config: faultserver.Config{Connections: script("reset"), Script: script("200")}}, nil
		}})
		own := api.create(client.NewSession{Scenario: asJSON("x"), OwnListener: true})
		Expect(own.URL).NotTo(HavePrefix(api.host.URL()))
		Expect([]int{ask(own.URL), ask(own.URL)}).To(Equal([]int{0, 200}))
		_, err := api.Create(ctx, client.NewSession{Scenario: asJSON("x")})
		Expect(err).To(haveStatus(422, "listener of its own"))
	})

	It("passes on to an upstream of the allow-list, and to no other", func() {
		genuine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = fmt.Fprint(w, r.URL.Path)
		}))
		DeferCleanup(genuine.Close)
		api := start(control.Options{Upstreams: []string{genuine.URL}})
		alone := api.create(client.NewSession{Upstream: genuine.URL})
		Expect(ask(alone.URL + "/path")).To(Equal(418))
		scripted := api.create(client.NewSession{Upstream: genuine.URL, Script: "503,pass"})
		Expect([]int{ask(scripted.URL), ask(scripted.URL)}).To(Equal([]int{503, 418}))
		for _, other := range []string{"http://127.0.0.1:1", genuine.URL + "/", "http://169.254.169.254"} {
			_, err := api.Create(ctx, client.NewSession{Upstream: other})
			Expect(err).To(haveStatus(403, "expected one that the server was started with"))
		}
		_, err := api.Create(ctx, client.NewSession{Script: "pass"})
		Expect(err).To(haveStatus(422, "no real server"))
	})

	DescribeTable("is refused for what cannot be one, and says why",
		func(body string, status int, detail string) {
			api := start(control.Options{Parse: func([]byte) (control.Scenario, error) { return control.Scenario{}, fmt.Errorf("line 1: no contract") }})
			got, answer := api.say("POST", "/v1/sessions", body)
			Expect(got).To(Equal(status), answer)
			Expect(answer).To(ContainSubstring(detail))
			list, err := api.Sessions(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(list).To(BeEmpty())
		},
		Entry(nil, `{}`, 422, "expected one of contract, scenario and script"),
		Entry(nil, `{"script":"200","contract":"known.rule"}`, 422, "got 2"),
		Entry(nil, `{"script":"503y"}`, 422, "no act"),
		Entry(nil, `{"script":"truncate@500:body=10"}`, 422, "500"),
		Entry(nil, `{"script":"200","id":"a/b"}`, 422, "want letters, digits"),
		Entry(nil, `{"script":"200","id":"."}`, 422, "neither . nor .."),
		Entry(nil, `{"script":"200","id":".."}`, 422, "neither . nor .."),
		Entry(nil, `{"script":"200","id":"`+strings.Repeat("x", 201)+`"}`, 422, "201 characters; expected at most 200"),
		Entry(nil, `{"script":"200","ttl":"25h"}`, 422, "up to 24h"),
		Entry(nil, `{"script":"200","ttl":"soon"}`, 422, "such as 10m"),
		Entry(nil, `{"script":"200","max_attempts":-1}`, 422, "from 1 to 100000"),
		Entry(nil, `{"script":"200","after_script":"dance"}`, 422, "want fail, repeat or loop"),
		Entry(nil, `{"contract":"known.rule","after_script":"loop"}`, 422, "says itself"),
		Entry(nil, `{"contract":"unknown.rule"}`, 422, "the nearest: known.rule"),
		Entry(nil, `{"scenario":{}}`, 422, "line 1: no contract"),
		Entry(nil, `{"scenario":"\ud800"}`, 422, "no contract"),
		Entry(nil, `{"nonsense":1}`, 400, "unknown field"),
		Entry(nil, `{"script":"200"} x`, 400, "something follows"),
		Entry(nil, `[`, 400, "expected a JSON object"),
		Entry(nil, `{"script":"`+strings.Repeat("200,", 10_000)+`200"}`, 429, "at most 10000 steps"),
		Entry(nil, `{"script":"`+strings.Repeat(" ", 1<<20)+`"}`, 413, "1048576 bytes"),
	)

	It("is refused in another media type, or with settings beside YAML that are none", func() {
		api := start(control.Options{})
		status, answer := api.say("POST", "/v1/sessions", `{"script":"200"}`, "Content-Type", "application/x-www-form-urlencoded")
		Expect(status).To(Equal(415))
		Expect(answer).To(ContainSubstring("with curl: -H 'Content-Type: application/json'"))
		status, answer = api.say("POST", "/v1/sessions?own_listener=maybe", "x: y", "Content-Type", "application/yaml")
		Expect(status).To(Equal(400))
		Expect(answer).To(ContainSubstring("expected true or false"))
		status, _ = api.say("POST", "/v1/sessions?colour=red", "x: y", "Content-Type", "application/yaml")
		Expect(status).To(Equal(400))
		status, answer = api.say("POST", "/v1/sessions", "x: y", "Content-Type", "application/yaml")
		Expect(status).To(Equal(422))
		Expect(answer).To(ContainSubstring("reads no contracts"))
	})

	It("is listed, and closed when it is deleted", func() {
		api := start(control.Options{})
		b, a := api.create(client.NewSession{ID: "b", Script: "stall:forever"}), api.create(client.NewSession{ID: "a", Script: "200", OwnListener: true})
		list, err := api.Sessions(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{list[0].ID, list[1].ID}).To(Equal([]string{"a", "b"}))
		_, err = api.Create(ctx, client.NewSession{ID: "a", Script: "200"})
		Expect(err).To(haveStatus(409, "is there already"))

		stalled := make(chan int, 1)
		go func() { stalled <- ask(b.URL) }()
		_, err = api.Journal(ctx, "b", client.Attempts(1))
		Expect(err).NotTo(HaveOccurred())
		Expect(api.Delete(ctx, "b")).To(Succeed())
		Eventually(stalled).Should(Receive(Equal(0)), "its connections are closed")
		Expect(ask(b.URL)).To(Equal(404))
		Expect(api.Delete(ctx, "b")).To(haveStatus(404, "there is none"))
		Expect(api.Delete(ctx, "a")).To(Succeed())
		_, err = net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
		Expect(err).To(HaveOccurred(), "its port is free when the call returns")
		api.create(client.NewSession{ID: "b", Script: "200"})
	})

	It("expires when it was not used for its time, and not before", func() {
		api := start(control.Options{})
		api.create(client.NewSession{ID: "brief", Script: "200:forever", TTL: "300ms"})
		used := api.create(client.NewSession{ID: "used", Script: "200:forever", TTL: "2s"})
		Eventually(func() int { return len(listed(api)) }).Should(Equal(1))
		Expect(ask(api.host.URL() + "/s/brief/")).To(Equal(404))
		begun := time.Now()
		for time.Since(begun) < 2500*time.Millisecond {
			Expect(ask(used.URL)).To(Equal(200), "traffic is use")
		}
		_, answer := api.say("GET", "/metrics", "")
		Expect(answer).To(ContainSubstring(`faultsrv_sessions_ended_total{why="expired"} 1`))
		Expect(answer).To(ContainSubstring(`faultsrv_sessions 1`))
	})

	It("does not expire while somebody waits for it", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "a", Script: "200:forever", TTL: "100ms"})
		waited := make(chan error, 1)
		go func() {
			_, err := api.Journal(ctx, "a", client.Attempts(1))
			waited <- err
		}()
		Eventually(func() string { _, text := api.say("GET", "/metrics", ""); return text }).Should(ContainSubstring("faultsrv_sessions 1\n"))
		Consistently(waited).WithTimeout(400 * time.Millisecond).ShouldNot(Receive())
		Expect(ask(session.URL)).To(Equal(200))
		Eventually(waited).Should(Receive(BeNil()))
		Eventually(func() int { return len(listed(api)) }).Should(Equal(0))
	})

	It("is one of as many as there may be", func() {
		api := start(control.Options{Limits: control.Limits{Sessions: 2}})
		api.create(client.NewSession{ID: "a", Script: "200"})
		api.create(client.NewSession{Script: "200"})
		_, err := api.Create(ctx, client.NewSession{Script: "200"})
		Expect(err).To(haveStatus(429, "as many as there may be"))
		Expect(api.Delete(ctx, "a")).To(Succeed())
		api.create(client.NewSession{Script: "200"})
	})

	It("of somebody else's is shown and stays", func() {
		api := start(control.Options{})
		feed := control.NewFeed()
		session, err := api.host.Default(faultserver.Config{Script: script("200:forever"), Observe: feed.Observe})
		Expect(err).NotTo(HaveOccurred())
		Expect(api.server.Adopt("default", session, feed)).To(Succeed())
		Expect(api.server.Adopt("default", session, feed)).NotTo(Succeed())
		Expect(ask(api.host.URL() + "/any")).To(Equal(200))
		journal, err := api.Journal(ctx, "default", client.Attempts(1))
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Attempts[0].Target).To(Equal("/any"))
		shown, err := api.Session(ctx, "default")
		Expect(err).NotTo(HaveOccurred())
		Expect(shown.Expires).To(BeNil())
		Expect(api.Delete(ctx, "default")).To(haveStatus(409, "belongs to the command"))
	})

	It("is created and deleted by many at the same time", func() {
		api := start(control.Options{})
		var working sync.WaitGroup
		for i := range 20 {
			working.Go(func() {
				defer GinkgoRecover()
				for range 5 {
					session := api.create(client.NewSession{Script: "503,200", OwnListener: i%4 == 0})
					Expect([]int{ask(session.URL), ask(session.URL)}).To(Equal([]int{503, 200}))
					Expect(api.Delete(ctx, session.ID)).To(Succeed())
				}
			})
		}
		working.Wait()
		Expect(listed(api)).To(BeEmpty())
	})
})

func listed(api *service) []client.Session {
	GinkgoHelper()
	list, err := api.Sessions(ctx)
	Expect(err).NotTo(HaveOccurred())
	return list
}

var _ = Describe("Closing the API", func() {
	It("says so, answers who waits, and leaves nothing", func() {
		before := gleak.Goroutines()
		host, err := faultserver.Listen("127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		server, err := control.Listen("127.0.0.1:0", control.Options{Host: host})
		Expect(err).NotTo(HaveOccurred())
		transport := &http.Transport{}
		api := client.New(server.URL(), client.WithHTTPClient(&http.Client{Transport: transport}))
		session, err := api.Create(ctx, client.NewSession{Script: "stall:forever", OwnListener: true})
		Expect(err).NotTo(HaveOccurred())
		stalled, waited, watched := make(chan int, 1), make(chan error, 1), make(chan error, 1)
		go func() { stalled <- ask(session.URL) }()
		_, err = api.Journal(ctx, session.ID, client.Attempts(1))
		Expect(err).NotTo(HaveOccurred())
		go func() {
			_, err := api.Journal(ctx, session.ID, client.Attempts(2))
			waited <- err
		}()
		seen := make(chan faultserver.Attempt, 10)
		go func() {
			watched <- api.Watch(ctx, session.ID, func(a faultserver.Attempt) error { seen <- a; return nil })
		}()
		Eventually(seen).Should(Receive())
		begun := time.Now()
		Expect(server.Close(ctx)).To(Succeed())
		Expect(server.Close(ctx)).To(Succeed(), "twice does nothing")
		Expect(time.Since(begun)).To(BeNumerically("<", 5*time.Second))
		Expect(<-waited).To(HaveOccurred())
		Expect(<-watched).To(Or(MatchError(client.ErrEnded), HaveOccurred()))
		Expect(<-stalled).To(Equal(0))
		Expect(host.Close()).To(Succeed())
		transport.CloseIdleConnections()
		Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(before))
	})
})
