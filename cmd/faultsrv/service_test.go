package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// shop is a service that scripts judge: its address, its upstream, its habit
// ("once", or "twice" for one that asks again whatever happened), and the file
// that it writes its process id to.
func shop(args []string) int {
	attempts := map[string]int{"once": 1, "twice": 2}[args[2]]
	if attempts == 0 {
		fmt.Fprintln(os.Stderr, "no such habit: "+args[2])
		return 1
	}
	note(args[3], os.Getpid())
	http.HandleFunc("/ready", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/checkout", func(w http.ResponseWriter, _ *http.Request) {
		for range attempts {
			response, err := http.Post(args[1]+"/charge", "text/plain", strings.NewReader("cart"))
			if err == nil {
				response.Body.Close()
			}
			if err == nil && response.StatusCode == http.StatusOK {
				return
			}
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(args[0], nil))
	return 1
}
