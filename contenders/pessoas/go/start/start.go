// Package start is the life of a server, whatever it is made of: settings, the database, and an end in order.
package start

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"pessoas/store"
)

const (
	// IdleTimeout of a connection is longer than the balancer's of 60 s, which would send requests to one that is closed.
	IdleTimeout = 75 * time.Second
	// ReadTimeout is for a request with its body.
	ReadTimeout = 10 * time.Second
	// BodyBytesMax is as the balancer has it.
	BodyBytesMax = 64 << 10

	stopTimeout = 5 * time.Second
)

// Server is what is different.
type Server struct {
	// Listen serves an address. It returns nil as soon as the server stops, maybe before Shutdown does.
	Listen func(address string) error
	// Shutdown waits for the requests under way.
	Shutdown func(ctx context.Context) error
}

// Run serves until SIGTERM.
func Run(server func(people *store.Store) Server) {
	if err := run(server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(server func(people *store.Store) Server) error {
	port, err := number("HTTP_PORT", "8081")
	if err != nil {
		return err
	}
	connections, err := number("POOL", "6")
	if err != nil {
		return err
	}
	url := cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:15432/postgres")
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	people, err := store.Open(ctx, url, connections)
	if err != nil {
		return err
	}

	made := server(people)
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		patience, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		stopped <- made.Shutdown(patience)
	}()
	if err := made.Listen(fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
		return err
	}
	if err := <-stopped; err != nil {
		// Requests are left, and for their statements Close would wait without a bound.
		return err
	}
	people.Close()
	return nil
}

func number(name, otherwise string) (int, error) {
	written := cmp.Or(os.Getenv(name), otherwise)
	number, err := strconv.ParseUint(written, 10, 16)
	if err != nil || number == 0 {
		return 0, fmt.Errorf("environment: `%s` is %q, which is no number from 1 to 65535\nhint: %s=%s", name, written, name, otherwise)
	}
	return int(number), nil
}
