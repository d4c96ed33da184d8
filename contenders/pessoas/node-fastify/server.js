// The `pessoas` API on Fastify. Its schemas check types and write the answers; the rules for values are in `person.js`.

import Fastify from 'fastify';
import { isText, isValid } from '../node/person.js';
import { stopOnTerm } from '../node/stop.js';
import * as store from '../node/store.js';

const textOrNull = { type: ['string', 'null'] };

const newPerson = {
  type: 'object',
  properties: {
    apelido: textOrNull,
    nome: textOrNull,
    nascimento: textOrNull,
    stack: { type: ['array', 'null'], items: textOrNull },
  },
};

const person = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    apelido: { type: 'string' },
    nome: { type: 'string' },
    nascimento: { type: 'string' },
    stack: { type: 'array', nullable: true, items: { type: 'string' } },
  },
};

const term = { type: 'object', required: ['t'], properties: { t: { type: 'string', minLength: 1 } } };

const app = Fastify({
  bodyLimit: 64 * 1024,
  // Longer than the load balancer keeps a connection, so that it never sends on one that is closed at that moment.
  keepAliveTimeout: 75_000,
  // By default the number 1 would become the text "1".
  ajv: { customOptions: { coerceTypes: false } },
});

// Every body is JSON, whatever `Content-Type` says, and also where it is missing.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, bytes) => {
  try {
    if (isText(bytes)) return JSON.parse(bytes.toString());
  } catch {
    // It is answered as what is no text is.
  }
  throw Object.assign(new Error('the body is no JSON'), { statusCode: 400 });
});

app.post('/pessoas', { schema: { body: newPerson } }, async (request, reply) => {
  if (!isValid(request.body)) return reply.code(422).send();
  const id = await store.create(request.body);
  if (!id) return reply.code(422).send();
  return reply.code(201).header('location', `/pessoas/${id}`).send();
});

app.get('/pessoas/:id', { schema: { response: { 200: person } } }, async (request, reply) => {
  return (await store.find(request.params.id)) ?? reply.code(404).send();
});

const searchSchema = { querystring: term, response: { 200: { type: 'array', items: person } } };
app.get('/pessoas', { schema: searchSchema }, (request) => store.search(request.query.t));

app.get('/contagem-pessoas', () => store.count());

// What has no status is the database's.
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 500;
  if (status >= 500) console.error(error.message);
  return reply.code(status).send();
});

await store.open();
await app.listen({ host: '127.0.0.1', port: Number(process.env.HTTP_PORT ?? 8081) });
stopOnTerm(app.server);
