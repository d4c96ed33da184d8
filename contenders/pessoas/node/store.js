// One statement for each request.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const START_MS = 30_000;

const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:15432/postgres';

const pool = new pg.Pool({
  connectionString: url,
  // Connections of this instance.
  max: Number(process.env.POOL || 6),
  // They are kept: a new one costs PostgreSQL a process.
  idleTimeoutMillis: 0,
  // Also how long a request waits for a free one.
  connectionTimeoutMillis: 5_000,
  // Less than the load balancer's patience. The connection is closed then.
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

/** Keeps a person, and returns its new id; nothing where somebody has that `apelido`. */
export async function create({ apelido, nome, nascimento, stack }) {
  const id = randomUUID();
  const { rowCount } = await pool.query({
    name: 'create',
    text: `INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (apelido) DO NOTHING`,
    values: [id, apelido, nome, nascimento, stack],
  });
  return rowCount === 1 ? id : undefined;
}

/** PostgreSQL calls it an error to ask for what is no UUID, so only these are asked for. */
export async function find(id) {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return undefined;
  const { rows } = await pool.query({
    name: 'find',
    text: 'SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1',
    values: [id],
  });
  return rows[0];
}

/** People in whom a term is contained, whatever the letter case, 50 at most. */
export async function search(term) {
  // Nobody has a NUL, and PostgreSQL cannot be asked for it.
  if (term.includes('\0')) return [];
  const { rows } = await pool.query({
    name: 'search',
    text: 'SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50',
    values: [`%${term.replace(/[\\%_]/g, '\\$&')}%`],
  });
  return rows;
}

/** The number of people, as text: PostgreSQL's `bigint` is wider than JavaScript's numbers. */
export async function count() {
  const { rows } = await pool.query({ name: 'count', text: 'SELECT count(*) FROM pessoas' });
  return rows[0].count;
}
