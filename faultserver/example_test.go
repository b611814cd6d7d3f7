package faultserver_test

import (
	"fmt"
	"net/http"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A session without a test around it: a program opens it, reads its journal
// and closes it.
func ExampleOpen() {
	script, err := faultserver.ParseScript("503:retry-after=1,200")
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := faultserver.Open(faultserver.Config{Script: script})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		response, err := http.Get(session.URL() + "/orders")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = response.Body.Close()
	}
	for _, attempt := range session.Journal().Attempts {
		fmt.Println(attempt.Number, attempt.Method, attempt.Target, attempt.Step.Text, attempt.Met)
	}
	if err := session.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 GET /orders 503:retry-after=1 true
	// 2 GET /orders 200 true
}

// What cannot be performed is refused when it is opened, all reasons at once.
func ExampleConfig_Validate() {
	script, err := faultserver.ParseScript("reset@accept,h2-reset,truncate@10:body=5")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(faultserver.Config{Script: script}.Validate())
	// Output:
	// script: step 1, reset: at accept: it cannot strike there; want request-end, request-head, request-body, response-head, response-body
	// script: step 2, h2-reset: not built yet
	// script: step 3, truncate: response-body@10 lies beyond the body's 5 bytes
}
