package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("a report", func() {
	for name, render := range renderers {
		It("shows no secret as "+name, func() {
			text := string(rendered(GinkgoTB(), render, sampleRun()))
			for _, secret := range sampleSecrets {
				Expect(text).NotTo(ContainSubstring(secret))
			}
			Expect(text).NotTo(ContainSubstring("tok-"), "a part of a secret")
		})
		It("names no place of the machine as "+name, func() {
			text := string(rendered(GinkgoTB(), render, sampleRun()))
			Expect(text).NotTo(ContainSubstring(sampleServer))
			Expect(text).NotTo(ContainSubstring(sampleFolder))
			Expect(text).NotTo(MatchRegexp(`127\.0\.0\.1:\d`))
		})
	}

	It("shows bodies when they are asked for, without what is known to be secret", func() {
		e, j := sampleFail()
		e.Journal.Attempts[0].Body.Kept = []byte(`{"order":1,"key":"` + secretAPIKey + `"}`)
		redactor := sampleRedactor()
		kept := FromEvidence(e, j, Options{Redactor: redactor, Bodies: true}).Attempts[0].Body.Kept
		Expect(string(kept)).To(Equal(`{"order":1,"key":"` + redactor.Hash(secretAPIKey) + `"}`))
	})

	It("hashes header lines wherever they came, however short the secret", func() {
		e, j := samplePass()
		short := faultserver.Headers{{Name: "Cookie", Value: "a=1"}}
		e.Journal.Attempts[0].Headers = short
		e.Journal.Attempts[0].Body.Trailers = short
		e.Calls[0].Outcome.Headers = short
		result := FromEvidence(e, j, Options{Redactor: sampleRedactor()})
		for _, headers := range []faultserver.Headers{
			result.Attempts[0].Headers, result.Attempts[0].Body.Trailers, result.Calls[0].Outcome.Headers, result.Outcome.Headers,
		} {
			Expect(headers).To(ConsistOf(HaveField("Value", HavePrefix(hashPrefix))))
		}
	})

	It("leaves the evidence as it was", func() {
		e, j := sampleFail()
		before, err := json.Marshal([]any{e, j})
		Expect(err).NotTo(HaveOccurred())
		FromEvidence(e, j, Options{Redactor: sampleRedactor()})
		Expect(json.Marshal([]any{e, j})).To(Equal(before))
	})

	It("hides a secret that another contract's attempt gave away later", func() {
		redactor := sampleRedactor()
		early := Result{ID: "a", Reason: "sent " + secretBearer, Meta: ResultMeta{Rerun: "-u carol:" + secretPassword}}
		redactor.Learn(faultserver.Headers{
			{Name: "Authorization", Value: "Bearer " + secretBearer},
			{Name: "Proxy-Authorization", Value: "Basic " + basic("carol", secretPassword)},
		})
		run := Assemble(Run{Meta: Meta{Command: []string{"curl", "--user", "carol:" + secretPassword, "http://host/?x=" + secretBearer}}}, []Result{early}, redactor)
		Expect(rendered(GinkgoTB(), JSON, run)).NotTo(ContainSubstring("tok-"))
	})
})

var _ = Describe("a hash of a secret", func() {
	It("is equal for equal secrets of a run, in headers and in texts", func() {
		redactor := NewRedactor(Secrets{})
		headers := redactor.Headers(faultserver.Headers{
			{Name: "Authorization", Value: "Bearer one-secret"},
			{Name: "AUTHORIZATION", Value: "Bearer one-secret"},
			{Name: "Authorization", Value: "Bearer two-secret"},
			{Name: "Accept", Value: "*/*"},
		})
		Expect(headers[0].Value).To(Equal(headers[1].Value))
		Expect(headers[0].Value).NotTo(Equal(headers[2].Value))
		Expect(headers[3].Value).To(Equal("*/*"))
		Expect(redactor.Text("sent Bearer one-secret twice")).To(Equal("sent " + headers[0].Value + " twice"))
	})

	It("cannot be compared between runs", func() {
		Expect(NewRedactor(Secrets{}).Hash("secret")).NotTo(Equal(NewRedactor(Secrets{}).Hash("secret")))
	})

	It("hashes a header line whatever its length", func() {
		headers := NewRedactor(Secrets{}).Headers(faultserver.Headers{{Name: "Cookie", Value: "a=1"}})
		Expect(headers[0].Value).To(MatchRegexp(`^hmac-sha256:[0-9a-f]{16}$`))
	})
})

var _ = DescribeTable("hiding secrets in a text",
	func(text, want string) {
		redactor := sampleRedactor()
		hash := func(secret string) string { return redactor.Hash(secret) }
		want = expand(want, hash)
		Expect(redactor.Text(text)).To(Equal(want))
		Expect(redactor.Text(want)).To(Equal(want), "hiding twice changes nothing")
	},
	Entry("nothing secret", "attempt 2: 503 after 40 ms", "attempt 2: 503 after 40 ms"),
	Entry("a user part", "dial http://bob:pw@host/x failed", "dial http://<bob:pw>@host/x failed"),
	Entry("a user without a password", "https://token123@host/", "https://<token123>@host/"),
	Entry("an @ in the password", "http://bob:p@w@host/", "http://<bob:p@w>@host/"),
	Entry("an @ after the authority", "http://host/@me?x=a@b", "http://host/@me?x=a@b"),
	Entry("a header line", "sent 'Authorization: Bearer xyz' once", "sent 'Authorization: <Bearer xyz>' once"),
	Entry("a header line of another case", "cookie:a=b", "cookie:<a=b>"),
	Entry("a check's word for a field", "header.Cookie: equal in all attempts", "header.Cookie: equal in all attempts"),
	Entry("a configured header", "X-API-KEY: k", "X-API-KEY: <k>"),
	Entry("a header whose name ends alike", "My-Cookie: plain", "My-Cookie: plain"),
	Entry("a configured parameter", "/x?a=1&TOKEN=t&b=2", "/x?a=1&TOKEN=<t>&b=2"),
	Entry("a parameter whose name ends alike", "/x?mytoken=t", "/x?mytoken=t"),
)

// expand replaces <secret> by its hash.
func expand(text string, hash func(string) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		secret, after, _ := strings.Cut(rest, ">")
		out.WriteString(hash(secret))
		text = after
	}
}

var _ = DescribeTable("a command line",
	func(want string, args ...string) {
		redactor := sampleRedactor()
		Expect(redactor.CommandLine(args)).To(Equal(expand(want, redactor.Hash)))
	},
	Entry("plain words", "curl -sS --retry {retries} {url}", "curl", "-sS", "--retry", "{retries}", "{url}"),
	Entry("words that a shell would take apart", `sh -c 'echo '\''a b'\'' $HOME' ''`, "sh", "-c", "echo 'a b' $HOME", ""),
	Entry("a header", "curl -H 'Authorization: <Bearer x>'", "curl", "-H", "Authorization: Bearer x"),
	Entry("a user and password", "curl -u <bob:pw> {url}", "curl", "-u", "bob:pw", "{url}"),
	Entry("a user and password behind other letters", "curl -sSu <bob:pw> {url}", "curl", "-sSu", "bob:pw", "{url}"),
	Entry("a user and password in one word", "curl -u<bob:pw> -U<eve:p:w> {url}", "curl", "-ubob:pw", "-Ueve:p:w", "{url}"),
	Entry("words that are none", "x -url=http://h/ -unix:/run/x -u", "x", "-url=http://h/", "-unix:/run/x", "-u"),
	Entry("an option -u of another meaning", "python3 -u client.py", "python3", "-u", "client.py"),
	Entry("a named secret", "x --api-key <k> --token=<t> --password {password}", "x", "--api-key", "k", "--token=t", "--password", "{password}"),
	Entry("a switch that takes no value", "x --no-cookie --retry 3", "x", "--no-cookie", "--retry", "3"),
)

var _ = Describe("a redactor", func() {
	It("may be used by several goroutines", func() {
		redactor := NewRedactor(Secrets{})
		done := make(chan string)
		for i := range 8 {
			go func() {
				secret := fmt.Sprintf("secret-%d", i)
				redactor.Learn(faultserver.Headers{{Name: "Cookie", Value: "s=" + secret}})
				done <- redactor.Text(secret)
			}()
		}
		for range 8 {
			Expect(<-done).To(HavePrefix("hmac-sha256:"))
		}
	})
})

// renderers are all that there are: each must keep the secrets.
var renderers = map[string]Renderer{
	"JSON":               JSON,
	"JUnit":              JUnit,
	"Markdown":           Markdown,
	"HTML":               HTML,
	"text":               Terminal(Style{}),
	"text in a terminal": Terminal(Style{Color: true, Width: 80}),
	"its own copy, read again": func(w io.Writer, run Run) error {
		var out bytes.Buffer
		if err := JSON(&out, run); err != nil {
			return err
		}
		again, err := Read(&out)
		if err != nil {
			return err
		}
		return JSON(w, again)
	},
}

var _ = Describe("what a redactor remembers", func() {
	It("is bounded, and header lines are hashed all the same", func() {
		redactor := NewRedactor(Secrets{})
		for i := range 3 * mostKnown {
			secret := fmt.Sprintf("secret-%d", i)
			hidden := redactor.Headers(faultserver.Headers{{Name: "Authorization", Value: secret}})
			Expect(hidden[0].Value).To(Equal(redactor.Hash(secret)))
		}
		Expect(len(redactor.known)).To(BeNumerically("<=", mostKnown+4))
	})
})
