// One statement for each request.

import { SQL } from "bun";
import type { NewPerson } from "./person";

const START_MS = 30_000;
const WAIT_MS = 8_000;

export interface Person extends NewPerson {
  id: string;
}

const url = Bun.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:15432/postgres";

const sql = new SQL(url, {
  // Connections of this instance.
  max: Number(Bun.env.POOL || 6),
  connectionTimeout: 5,
});

/** Waits for the database, and ends the process where it does not come. */
export async function open(): Promise<void> {
  let reason = "no answer";
  const timer = setTimeout(() => {
    const { hostname, port } = new URL(url);
    console.error(`no database at ${hostname}:${port || 5432} within ${START_MS / 1000} s: ${reason}`);
    console.error("hint: start PostgreSQL there, or set DATABASE_URL=postgres://USER@HOST:PORT/DATABASE");
    process.exit(1);
  }, START_MS);
  for (;;) {
    try {
      await sql`SELECT 1`;
      clearTimeout(timer);
      return;
    } catch (error) {
      reason = (error as Error).message;
      await Bun.sleep(200);
    }
  }
}

export function close(): Promise<void> {
  return sql.close();
}

/** Keeps a person, and returns its new id, ordered by time; nothing where somebody has that `apelido`. */
export async function create({ apelido, nome, nascimento, stack }: NewPerson): Promise<string | undefined> {
  const id = Bun.randomUUIDv7();
  const kept = await bounded(sql<{ id: string }[]>`
    INSERT INTO pessoas (id, apelido, nome, nascimento, stack)
    VALUES (${id}, ${apelido}, ${nome}, ${nascimento}, ${stack && sql.array(stack, "TEXT")})
    ON CONFLICT (apelido) DO NOTHING
    RETURNING id`);
  return kept[0]?.id;
}

/** PostgreSQL calls it an error to ask for what is no UUID, so only these are asked for. */
export async function find(id: string): Promise<Person | undefined> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return undefined;
  const people = await bounded(sql<Person[]>`
    SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = ${id}`);
  return people[0];
}

/** People in whom a term is contained, whatever the letter case, 50 at most. */
export async function search(term: string): Promise<Person[]> {
  // Nobody has a NUL, and PostgreSQL cannot be asked for it.
  if (term.includes("\0")) return [];
  const pattern = `%${term.replace(/[\\%_]/g, "\\$&")}%`;
  return bounded(sql<Person[]>`
    SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower(${pattern}) LIMIT 50`);
}

/** The number of people, as text. */
export async function count(): Promise<string> {
  const [row] = await bounded(sql<{ count: string }[]>`SELECT count(*)::text AS count FROM pessoas`);
  return row!.count;
}

/** The pool itself lets a statement wait for as long as it takes. This waits less than the load balancer does. */
async function bounded<T>(statement: SQL.Query<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      statement.cancel();
      reject(new Error(`no answer from the database within ${WAIT_MS / 1000} s`));
    }, WAIT_MS);
  });
  try {
    return await Promise.race([statement, late]);
  } finally {
    clearTimeout(timer);
  }
}
