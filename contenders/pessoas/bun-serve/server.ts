// The `pessoas` API on Bun's own server and its own PostgreSQL client; nothing is installed but Bun.

import type { BunRequest } from "bun";
import { read, validate } from "./person";
import * as store from "./store";

const STOP_MS = 5_000;

const status = (code: number) => new Response(null, { status: code });

async function create(request: Request): Promise<Response> {
  // Whatever `Content-Type` says, and also where it is missing.
  const draft = read(await request.arrayBuffer());
  if (!draft) return status(400);
  const person = validate(draft);
  if (!person) return status(422);
  const id = await store.create(person);
  if (!id) return status(422);
  return new Response(null, { status: 201, headers: { Location: `/pessoas/${id}` } });
}

async function find(request: BunRequest<"/pessoas/:id">): Promise<Response> {
  const person = await store.find(request.params.id);
  return person ? Response.json(person) : status(404);
}

async function search(request: Request): Promise<Response> {
  const term = new URL(request.url).searchParams.get("t");
  return term ? Response.json(await store.search(term)) : status(400);
}

async function count(): Promise<Response> {
  return new Response(await store.count(), { headers: { "Content-Type": "text/plain" } });
}

await store.open();

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Bun.env.HTTP_PORT ?? 8081,
  // In seconds. Longer than the load balancer keeps a connection, so that it never sends on one that is closed at that moment.
  idleTimeout: 75,
  maxRequestBodySize: 64 * 1024,
  routes: {
    "/pessoas": { GET: search, POST: create },
    "/pessoas/:id": { GET: find },
    "/contagem-pessoas": { GET: count },
  },
  fetch: () => status(404),
  // Every error that arrives here is the database's.
  error(error) {
    console.error(error.message);
    return status(500);
  },
});

// Takes no more connections, answers what is under way, and ends.
process.once("SIGTERM", async () => {
  setTimeout(() => process.exit(1), STOP_MS).unref();
  await server.stop();
  await store.close();
  process.exit(0);
});
