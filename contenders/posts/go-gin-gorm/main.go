// `posts` with Gin and GORM: a model, a route, and database/sql's pool below.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
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

// Post is a row of the table `posts`.
type Post struct {
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
	db, err := open()
	if err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	server := &http.Server{
		Addr:        fmt.Sprintf("127.0.0.1:%d", port),
		Handler:     routes(db),
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

func routes(db *gorm.DB) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery())
	router.GET("/api/posts/:id", func(c *gin.Context) { find(c, db) })
	return router
}

func find(c *gin.Context, db *gorm.DB) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		c.Status(http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), answerWait)
	defer cancel()
	var post Post
	err = db.WithContext(ctx).First(&post, id).Error
	switch {
	case err == nil:
		c.JSON(http.StatusOK, post)
	case errors.Is(err, gorm.ErrRecordNotFound):
		c.Status(http.StatusNotFound)
	case errors.Is(err, context.DeadlineExceeded):
		c.Status(http.StatusServiceUnavailable)
	default:
		c.Status(http.StatusInternalServerError)
	}
}

// The database, once it takes connections.
func open() (*gorm.DB, error) {
	maxOpen, err := number("MAX_OPEN", "20")
	if err != nil {
		return nil, err
	}
	minIdle, err := number("MIN_IDLE", "0")
	if err != nil {
		return nil, err
	}
	url := os.Getenv("DATABASE_URL")
	where, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("environment: DATABASE_URL: %w", err)
	}
	db, err := gorm.Open(postgres.Open(url), &gorm.Config{
		DisableAutomaticPing: true,
		Logger: logger.New(log.Default(), logger.Config{
			LogLevel:                  logger.Error,
			IgnoreRecordNotFoundError: true,
		}),
	})
	if err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(maxOpen)
	pool.SetMaxIdleConns(minIdle)
	for end := time.Now().Add(startWait); ; time.Sleep(startPause) {
		ctx, cancel := context.WithDeadline(context.Background(), end)
		err := pool.PingContext(ctx)
		cancel()
		if err == nil {
			return db, nil
		}
		if time.Until(end) < startPause {
			return nil, fmt.Errorf("database: no connection to %s:%d within %s: %w\nhint: start PostgreSQL there, or set DATABASE_URL to where it is",
				where.Host, where.Port, startWait, err)
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
