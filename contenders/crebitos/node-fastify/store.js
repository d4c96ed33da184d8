// Accounts in PostgreSQL: one statement for each request.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const START_MS = 30_000;
// PostgreSQL's numeric_value_out_of_range: a balance beyond 64 bits.
const OUT_OF_RANGE = '22003';

// The new balance, or null where the limit forbids the move; no row for an unknown client. The move is inserted under the lock
// of the client's row, so the order of ids is the order of balances.
const MOVE = `
  WITH moved AS (
    UPDATE clientes SET saldo = saldo + $2 WHERE id = $1 AND saldo + $2 >= -limite RETURNING saldo
  ), kept AS (
    INSERT INTO transacoes (cliente_id, valor, tipo, descricao) SELECT $1, $3, $4, $5 FROM moved
  )
  SELECT limite, moved.saldo FROM clientes LEFT JOIN moved ON true WHERE id = $1`;

// PostgreSQL writes the times, since a `Date` has no microseconds.
const utc = (time) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

// A row for each of the last moves, and one for a client without a move: one statement, so one snapshot.
const STATEMENT = `
  SELECT limite, saldo, ${utc('clock_timestamp()')} AS data_extrato, valor, tipo, descricao, ${utc('realizada_em')} AS realizada_em
  FROM clientes c LEFT JOIN LATERAL (
    SELECT id, valor, tipo, descricao, realizada_em FROM transacoes WHERE cliente_id = c.id ORDER BY id DESC LIMIT 10
  ) t ON true
  WHERE c.id = $1 ORDER BY t.id DESC`;

// Amounts are wider than JavaScript's numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:15432/postgres';

const pool = new pg.Pool({
  connectionString: url,
  // Connections of this instance.
  max: Number(process.env.POOL || 5),
  // They are kept: a new one costs PostgreSQL a process.
  idleTimeoutMillis: 0,
  // Also how long a request waits for a free one.
  connectionTimeoutMillis: 5_000,
  // Less than nginx's patience. The connection is closed then.
  query_timeout: 8_000,
});

// An idle connection that breaks, as when the database restarts, leaves the pool; unheard, this event would end the process.
pool.on('error', (error) => console.error(`database: ${error.message}`));

/** Waits for the database, and ends the process where it does not come. */
export async function open() {
  let reason = 'no answer';
  const timer = setTimeout(() => {
    const { hostname, port } = new URL(url);
    console.error(`no database at ${hostname}:${port || 5432} within ${START_MS / 1000} s: ${reason}`);
    console.error('hint: start PostgreSQL there, or set DATABASE_URL=postgres://USER@HOST:PORT/DATABASE');
    process.exit(1);
  }, START_MS);
  for (;;) {
    try {
      await pool.query('SELECT 1');
      clearTimeout(timer);
      return;
    } catch (error) {
      reason = error.message || error.code;
      await sleep(200);
    }
  }
}

export function close() {
  return pool.end();
}

/** Keeps a move: the client's limit, and its balance after the move or null where it may not be. Nothing for an unknown client. */
export async function move(id, { valor, tipo, descricao }) {
  const change = tipo === 'c' ? valor : -valor;
  try {
    const { rows } = await pool.query({ name: 'move', text: MOVE, values: [id, change, valor, tipo, descricao] });
    return rows[0];
  } catch (error) {
    if (error.code === OUT_OF_RANGE) return { saldo: null };
    throw error;
  }
}

/** The balance and the last moves, newest first. Nothing for an unknown client. */
export async function statement(id) {
  const { rows } = await pool.query({ name: 'statement', text: STATEMENT, values: [id] });
  if (rows.length === 0) return undefined;
  const { saldo: total, data_extrato, limite } = rows[0];
  return { saldo: { total, data_extrato, limite }, ultimas_transacoes: rows.filter((row) => row.valor !== null) };
}
