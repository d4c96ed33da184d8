// `posts` with Express and pg: one prepared statement, and pg's pool.
import express from 'express';
import pg from 'pg';

// At most, for the database to take connections when this starts.
const START_WAIT_MS = 30_000;
const START_PAUSE_MS = 200;
// At most, for a request to get a connection.
const POOL_WAIT_MS = 5_000;
// At most, for requests under way when it is told to stop.
const STOP_WAIT_MS = 5_000;

function variable(name, example) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`environment: \`${name}\` is not set\nhint: ${name}=${example}`);
  return value;
}

// Keys are bigint, which pg gives as text: a number need not be exact beyond 2^53. These are.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

async function waitFor(pool, url) {
  const end = Date.now() + START_WAIT_MS;
  for (;;) {
    try {
      await pool.query('SELECT 1');
      return;
    } catch (error) {
      if (Date.now() + START_PAUSE_MS > end) {
        const { host } = new URL(url);
        throw new Error(
          `database: no connection to ${host} within ${START_WAIT_MS / 1000} s: ${error.message || error.code}\n` +
            'hint: start PostgreSQL there, or set DATABASE_URL to where it is',
        );
      }
    }
    await new Promise((done) => setTimeout(done, START_PAUSE_MS));
  }
}

async function main() {
  const port = Number(variable('HTTP_PORT', '9999'));
  const url = variable('DATABASE_URL', 'postgres://postgres@127.0.0.1:15432/postgres');
  const pool = new pg.Pool({
    connectionString: url,
    max: Number(variable('MAX_OPEN', '20')),
    min: Number(variable('MIN_IDLE', '0')),
    connectionTimeoutMillis: POOL_WAIT_MS,
  });
  // An idle connection that breaks is thrown away by the pool; without a listener the process would end.
  pool.on('error', (error) => console.error(`database: ${error.message}`));
  await waitFor(pool, url);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');

  app.get('/api/posts/:id', async (request, response) => {
    const { id } = request.params;
    // What has more digits is no key: numbers are exact up to there.
    if (!/^\d{1,15}$/.test(id)) return response.sendStatus(404);
    const { rows } = await pool.query({
      name: 'post',
      text: 'SELECT id, name, title, text, created_at FROM posts WHERE id = $1',
      values: [id],
    });
    return rows.length === 1 ? response.json(rows[0]) : response.sendStatus(404);
  });

  // Express tells this of what a handler throws, and itself of a path that cannot be decoded.
  app.use((error, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error.status) return response.sendStatus(error.status);
    console.error(`database: ${error.message || error.code}`);
    return response.sendStatus(503);
  });

  const server = app.listen(port, '127.0.0.1', (error) => {
    if (error) {
      console.error(error.message);
      process.exit(1);
    }
  });
  server.keepAliveTimeout = 75_000;
  process.once('SIGTERM', () => {
    server.close(() => pool.end());
    setTimeout(() => process.exit(0), STOP_WAIT_MS).unref();
  });
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
