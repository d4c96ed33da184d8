// The `pessoas` API on Express.

import express from 'express';
import { hasRightTypes, isText, isValid } from '../node/person.js';
import { stopOnTerm } from '../node/stop.js';
import * as store from '../node/store.js';

const app = express();
app.disable('x-powered-by');
// A hash of every answer, that no client here asks for.
app.disable('etag');

const json = express.json({
  limit: '64kb',
  // Whatever `Content-Type` says, and also where it is missing.
  type: () => true,
  verify: (_request, _response, bytes) => {
    if (!isText(bytes)) throw Object.assign(new Error('the body is no text'), { status: 400 });
  },
});

app.post('/pessoas', json, async (request, response) => {
  if (!hasRightTypes(request.body)) return response.status(400).end();
  if (!isValid(request.body)) return response.status(422).end();
  const id = await store.create(request.body);
  if (!id) return response.status(422).end();
  response.status(201).location(`/pessoas/${id}`).end();
});

app.get('/pessoas/:id', async (request, response) => {
  const person = await store.find(request.params.id);
  if (!person) return response.status(404).end();
  response.json(person);
});

app.get('/pessoas', async (request, response) => {
  const { t } = request.query;
  // A term that is given twice is a list.
  if (typeof t !== 'string' || t === '') return response.status(400).end();
  response.json(await store.search(t));
});

app.get('/contagem-pessoas', async (_request, response) => {
  response.type('text/plain').send(await store.count());
});

// Express knows an error handler by its four parameters. What has no status is the database's.
app.use((error, _request, response, _next) => {
  const status = error.status ?? 500;
  if (status >= 500) console.error(error.message);
  response.status(status).end();
});

await store.open();
const server = app.listen(process.env.HTTP_PORT ?? 8081, '127.0.0.1');
// Longer than the load balancer keeps a connection, so that it never sends on one that is closed at that moment.
server.keepAliveTimeout = 75_000;
stopOnTerm(server);
