// `posts` with Go's own net/http, database/sql and lib/pq: no framework, no ORM, and Go's own pool.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	_ "github.com/lib/pq"
)

const (
	// At most, for the database to take connections when this starts.
	startWait  = 30 * time.Second
	startPause = 200 * time.Millisecond
	// At most, for a request to get a connection and its row.
	answerWait = 5 * time.Second
	// At most, for requests under way when it is told to stop.
	stopWait = 5 * time.Second

	selectPost = "SELECT id, name, title, text, created_at FROM posts WHERE id = $1"
)

type post struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Title     string    `json:"title"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	port, err := number("HTTP_PORT", "9999")
	if err != nil {
		return err
	}
	pool, err := open()
	if err != nil {
		return err
	}
	defer pool.Close()
	ask, err := asking(pool)
	if err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/posts/{id}", func(w http.ResponseWriter, r *http.Request) { find(w, r, ask) })
	server := &http.Server{
		Addr:        fmt.Sprintf("127.0.0.1:%d", port),
		Handler:     routes,
		IdleTimeout: 75 * time.Second,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-stop.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	return server.Shutdown(last)
}

// How one row is asked for.
type ask func(ctx context.Context, id int64) *sql.Row

// With a statement that is prepared once for each connection, or for each request.
func asking(pool *sql.DB) (ask, error) {
	switch kept := os.Getenv("STATEMENTS"); kept {
	case "kept":
		statement, err := pool.Prepare(selectPost)
		if err != nil {
			return nil, fmt.Errorf("database: %w", err)
		}
		return func(ctx context.Context, id int64) *sql.Row { return statement.QueryRowContext(ctx, id) }, nil
	case "each":
		return func(ctx context.Context, id int64) *sql.Row { return pool.QueryRowContext(ctx, selectPost, id) }, nil
	default:
		return nil, fmt.Errorf("environment: `STATEMENTS` is `%s`\nhint: STATEMENTS=kept, or STATEMENTS=each", kept)
	}
}

func find(w http.ResponseWriter, r *http.Request, ask ask) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	defer cancel()
	var p post
	err = ask(ctx, id).Scan(&p.ID, &p.Name, &p.Title, &p.Text, &p.CreatedAt)
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p)
		return
	case errors.Is(err, sql.ErrNoRows):
		w.WriteHeader(http.StatusNotFound)
		return
	}
	log.Printf("database: %v", err)
	if errors.Is(err, context.DeadlineExceeded) {
		w.WriteHeader(http.StatusServiceUnavailable)
	} else {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// The pool, once the database takes connections.
func open() (*sql.DB, error) {
	maxOpen, err := number("MAX_OPEN", "20")
	if err != nil {
		return nil, err
	}
	minIdle, err := number("MIN_IDLE", "0")
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, fmt.Errorf("environment: DATABASE_URL: %w", err)
	}
	pool.SetMaxOpenConns(maxOpen)
	pool.SetMaxIdleConns(minIdle)
	for end := time.Now().Add(startWait); ; time.Sleep(startPause) {
		ctx, cancel := context.WithDeadline(context.Background(), end)
		err := pool.PingContext(ctx)
		cancel()
		if err == nil {
			return pool, nil
		}
		if time.Until(end) < startPause {
			return nil, fmt.Errorf("database: no connection within %s: %w\nhint: start PostgreSQL there, or set DATABASE_URL to where it is",
				startWait, err)
		}
	}
}

func number(name, example string) (int, error) {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil || value < 0 {
		return 0, fmt.Errorf("environment: `%s` is missing or no number\nhint: %s=%s", name, name, example)
	}
	return value, nil
}
