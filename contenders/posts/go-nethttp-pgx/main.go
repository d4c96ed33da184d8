// `posts` with Go's own net/http and pgx: no framework, no ORM, and pgx's pool.
package main

import (
	"context"
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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// At most, for the database to take connections when this starts.
	startWait  = 30 * time.Second
	startPause = 200 * time.Millisecond
	// At most, for a request to get a connection and its row.
	answerWait = 5 * time.Second
	// At most, for requests under way when it is told to stop.
	stopWait = 5 * time.Second
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
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/posts/{id}", func(w http.ResponseWriter, r *http.Request) { find(w, r, pool) })
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

func find(w http.ResponseWriter, r *http.Request, pool *pgxpool.Pool) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	defer cancel()
	var p post
	err = pool.QueryRow(ctx, "SELECT id, name, title, text, created_at FROM posts WHERE id = $1", id).
		Scan(&p.ID, &p.Name, &p.Title, &p.Text, &p.CreatedAt)
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p)
		return
	case errors.Is(err, pgx.ErrNoRows):
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
func open() (*pgxpool.Pool, error) {
	maxOpen, err := number("MAX_OPEN", "20")
	if err != nil {
		return nil, err
	}
	minIdle, err := number("MIN_IDLE", "0")
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, fmt.Errorf("environment: DATABASE_URL: %w", err)
	}
	switch kept := os.Getenv("STATEMENTS"); kept {
	case "kept": // what pgx does: prepared once for each connection
	case "each":
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	default:
		return nil, fmt.Errorf("environment: `STATEMENTS` is `%s`\nhint: STATEMENTS=kept, or STATEMENTS=each", kept)
	}
	config.MaxConns = int32(maxOpen)
	config.MinConns = int32(minIdle)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(startWait); ; time.Sleep(startPause) {
		ctx, cancel := context.WithDeadline(context.Background(), end)
		err := pool.Ping(ctx)
		cancel()
		if err == nil {
			return pool, nil
		}
		if time.Until(end) < startPause {
			return nil, fmt.Errorf("database: no connection to %s:%d within %s: %w\nhint: start PostgreSQL there, or set DATABASE_URL to where it is",
				config.ConnConfig.Host, config.ConnConfig.Port, startWait, err)
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
