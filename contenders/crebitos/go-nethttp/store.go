package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// How long a request waits for a connection.
	connectionWait = 5 * time.Second
	// How long a database may take to come up.
	startWait  = 30 * time.Second
	startPause = 200 * time.Millisecond
	// PostgreSQL's numeric_value_out_of_range: a balance beyond 64 bits.
	outOfRange = "22003"
)

// The new balance, or null where the limit forbids the move; no row for an unknown client. The move is inserted under the lock
// of the client's row, so the order of ids is the order of balances.
const moveSQL = `
	WITH moved AS (
		UPDATE clientes SET saldo = saldo + $2 WHERE id = $1 AND saldo + $2 >= -limite RETURNING saldo
	), kept AS (
		INSERT INTO transacoes (cliente_id, valor, tipo, descricao) SELECT $1, $3, $4, $5 FROM moved
	)
	SELECT limite, moved.saldo FROM clientes LEFT JOIN moved ON true WHERE id = $1`

// A row for each of the last moves, and one for a client without a move: one statement, so one snapshot.
const statementSQL = `
	SELECT limite, saldo, valor, tipo, descricao, realizada_em
	FROM clientes c LEFT JOIN LATERAL (
		SELECT id, valor, tipo, descricao, realizada_em FROM transacoes
		WHERE cliente_id = c.id ORDER BY id DESC LIMIT 10
	) t ON true
	WHERE c.id = $1 ORDER BY t.id DESC`

var (
	errUnknown = errors.New("there is no such client")
	errBeyond  = errors.New("the move leaves a balance below the limit, or beyond 64 bits")
)

// move is one credit (`c`) or debit (`d`).
type move struct {
	valor     int64
	tipo      string
	descricao string
	at        time.Time
}

type balance struct {
	limite, saldo int64
}

type store struct {
	pool *pgxpool.Pool
}

// open waits for the database of a URL.
func open(ctx context.Context, url string, connections int) (*store, error) {
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
			return &store{pool}, nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			pool.Close()
			at := config.ConnConfig
			return nil, fmt.Errorf("database: no connection to %s port %d: %w\n"+
				"hint: start PostgreSQL there, or set DATABASE_URL to where it is", at.Host, at.Port, err)
		}
	}
}

// connection waits for one until its client leaves, or has waited for long. Neither ends the statement: that would cost the
// connection.
func (s *store) connection(ctx context.Context) (*pgxpool.Conn, context.Context, error) {
	waiting, cancel := context.WithTimeout(ctx, connectionWait)
	defer cancel()
	connection, err := s.pool.Acquire(waiting)
	return connection, context.WithoutCancel(ctx), err
}

// move keeps a move, and gives the balance after it.
func (s *store) move(ctx context.Context, id int32, move move) (balance, error) {
	connection, ctx, err := s.connection(ctx)
	if err != nil {
		return balance{}, err
	}
	defer connection.Release()
	change := move.valor
	if move.tipo == "d" {
		change = -change
	}
	var limite int64
	var saldo *int64
	err = connection.QueryRow(ctx, moveSQL, id, change, move.valor, move.tipo, move.descricao).Scan(&limite, &saldo)
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return balance{}, errUnknown
	case errors.As(err, &refused) && refused.Code == outOfRange:
		return balance{}, errBeyond
	case err != nil:
		return balance{}, err
	case saldo == nil:
		return balance{}, errBeyond
	}
	return balance{limite, *saldo}, nil
}

// statement gives the balance and the last moves, newest first.
func (s *store) statement(ctx context.Context, id int32) (balance, []move, error) {
	connection, ctx, err := s.connection(ctx)
	if err != nil {
		return balance{}, nil, err
	}
	defer connection.Release()
	rows, err := connection.Query(ctx, statementSQL, id)
	if err != nil {
		return balance{}, nil, err
	}
	var now balance
	var moves []move
	// All four are null for a client without a move.
	var valor *int64
	var tipo, descricao *string
	var at *time.Time
	columns := []any{&now.limite, &now.saldo, &valor, &tipo, &descricao, &at}
	read, err := pgx.ForEachRow(rows, columns, func() error {
		if valor != nil {
			moves = append(moves, move{*valor, *tipo, *descricao, *at})
		}
		return nil
	})
	if err == nil && read.RowsAffected() == 0 {
		err = errUnknown
	}
	return now, moves, err
}
