// Package store keeps people in PostgreSQL, with one statement for each request.
package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pessoas/person"
)

const (
	// How long a request waits for a connection.
	connectionWait = 5 * time.Second
	// How long a database may take to come up.
	startWait  = 30 * time.Second
	startPause = 200 * time.Millisecond
)

// Store is a pool of connections.
type Store struct {
	pool *pgxpool.Pool
}

// Open waits for the database of a URL.
func Open(ctx context.Context, url string, connections int) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("environment: DATABASE_URL: %w", err)
	}
	config.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(startWait); ; time.Sleep(startPause) {
		attempt, cancel := context.WithTimeout(ctx, connectionWait)
		err = pool.Ping(attempt)
		cancel()
		if err == nil {
			return &Store{pool}, nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			pool.Close()
			at := config.ConnConfig
			return nil, fmt.Errorf("database: no connection to %s port %d: %w\n"+
				"hint: start PostgreSQL there, or set DATABASE_URL to where it is", at.Host, at.Port, err)
		}
	}
}

// Close waits for the statements under way.
func (s *Store) Close() {
	s.pool.Close()
}

// connection waits for one until its client leaves, or has waited for long. The statement is not ended by either: that
// would cost the connection, and when all are busy, many who get one have hardly any time left.
func (s *Store) connection(ctx context.Context) (*pgxpool.Conn, context.Context, error) {
	waiting, cancel := context.WithTimeout(ctx, connectionWait)
	defer cancel()
	connection, err := s.pool.Acquire(waiting)
	return connection, context.WithoutCancel(ctx), err
}

// Create keeps a person; false where somebody has that apelido.
func (s *Store) Create(ctx context.Context, person person.Person) (bool, error) {
	connection, ctx, err := s.connection(ctx)
	if err != nil {
		return false, err
	}
	defer connection.Release()
	done, err := connection.Exec(ctx, `INSERT INTO pessoas (id, apelido, nome, nascimento, stack)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (apelido) DO NOTHING`,
		person.ID, person.Apelido, person.Nome, person.Nascimento, person.Stack)
	return done.RowsAffected() == 1, err
}

// Find gives the person with an id, if there is one.
func (s *Store) Find(ctx context.Context, id uuid.UUID) ([]person.Person, error) {
	return s.people(ctx, "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1", id)
}

// Search gives those in whom a term is contained, whatever the letter case, 50 at most.
func (s *Store) Search(ctx context.Context, term string) ([]person.Person, error) {
	if strings.Contains(term, "\x00") || !utf8.ValidString(term) {
		// Nobody has it, and PostgreSQL cannot be asked for it.
		return []person.Person{}, nil
	}
	return s.people(ctx, `SELECT id, apelido, nome, nascimento, stack FROM pessoas
		WHERE busca LIKE lower($1) LIMIT 50`, pattern(term))
}

// Count gives the number of all people.
func (s *Store) Count(ctx context.Context) (count int64, err error) {
	connection, ctx, err := s.connection(ctx)
	if err != nil {
		return 0, err
	}
	defer connection.Release()
	err = connection.QueryRow(ctx, "SELECT count(*) FROM pessoas").Scan(&count)
	return count, err
}

func (s *Store) people(ctx context.Context, query string, argument any) ([]person.Person, error) {
	connection, ctx, err := s.connection(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	rows, err := connection.Query(ctx, query, argument)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[person.Person])
}

var escape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// pattern of LIKE in which every character of the term stands for itself.
func pattern(term string) string {
	return "%" + escape.Replace(term) + "%"
}
