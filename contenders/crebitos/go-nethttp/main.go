// The API of `crebitos` on net/http and pgx: the patterns of ServeMux are all the framework that it needs.
package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

const (
	// Longer than nginx keeps an idle connection (60 s), so that it never sends on one that is closed at that moment.
	idleTimeout = 75 * time.Second
	readTimeout = 10 * time.Second
	// At most, for requests under way when it is told to stop.
	stopTimeout = 5 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until SIGTERM.
func run() error {
	port, err := number("HTTP_PORT", "8081")
	if err != nil {
		return err
	}
	connections, err := number("POOL", "5")
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	url := cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:15432/postgres")
	accounts, err := open(ctx, url, connections)
	if err != nil {
		return err
	}

	server := &http.Server{
		Addr:        fmt.Sprintf("127.0.0.1:%d", port),
		Handler:     routes(accounts),
		ReadTimeout: readTimeout,
		IdleTimeout: idleTimeout,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		// Requests are left, and for their statements Close would wait without a bound.
		return err
	}
	accounts.pool.Close()
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
