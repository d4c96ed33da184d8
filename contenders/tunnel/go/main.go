// A TCP proxy as most would write it in Go: two goroutines for each connection, and io.Copy, which lets the kernel splice.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: tunnel-go BIND TO, e.g. 127.0.0.1:9999 127.0.0.1:18080")
		os.Exit(2)
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for {
		client, err := listener.Accept()
		if err != nil {
			log.Print(err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		go carry(client.(*net.TCPConn), os.Args[2])
	}
}

func carry(client *net.TCPConn, to string) {
	defer client.Close()
	dialled, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		log.Print(err)
		return
	}
	origin := dialled.(*net.TCPConn)
	defer origin.Close()
	done := make(chan struct{})
	go func() {
		copyTo(origin, client)
		close(done)
	}()
	copyTo(client, origin)
	<-done
}

// One direction to its end. An error breaks off both, an end is handed on.
func copyTo(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		from.Close()
		return
	}
	to.CloseWrite()
}
