package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/faultsrv/faultsrv/internal/vacant"
)

// forward prints its URL and copies bytes to an address, or to that of a URL, as
// most programs do it: what is reset there is closed here.
func forward(args []string) int {
	address := strings.TrimPrefix(args[0], "http://")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("http://%s\n", listener.Addr())
	for {
		client, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("tcp", address)
			if err != nil {
				return
			}
			defer server.Close()
			go func() {
				_, _ = io.Copy(server, client)
				_ = server.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(client, server)
		}()
	}
}

// freeAddress prints an address of this machine where nobody listens.
func freeAddress([]string) int {
	address, release, err := vacant.Find()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	release()
	fmt.Println(address)
	return 0
}
