// The `crebitos` API on Fastify. Its schemas check types and write the answers; amounts are BigInts all the way.

import { isUtf8 } from 'node:buffer';
import Fastify from 'fastify';
import { parse } from 'lossless-json';
import * as store from './store.js';

const STOP_MS = 5_000;
const INT8_MAX = 2n ** 63n - 1n;
const INT4_MAX = 2 ** 31 - 1;

const newMove = {
  type: 'object',
  required: ['valor', 'tipo', 'descricao'],
  properties: {
    // A BigInt, which schemas do not know: `isAmount` checks it.
    valor: {},
    tipo: { type: 'string', enum: ['c', 'd'] },
    // Lengths are counted in characters. PostgreSQL keeps no NUL in a text.
    descricao: { type: 'string', minLength: 1, maxLength: 10, pattern: '^[^\\u0000]*$' },
  },
};

const integer = { type: 'integer' };
const string = { type: 'string' };
const balance = { type: 'object', properties: { limite: integer, saldo: integer } };
const statement = {
  type: 'object',
  properties: {
    saldo: { type: 'object', properties: { total: integer, data_extrato: string, limite: integer } },
    ultimas_transacoes: {
      type: 'array',
      items: { type: 'object', properties: { valor: integer, tipo: string, descricao: string, realizada_em: string } },
    },
  },
};

const app = Fastify({
  bodyLimit: 64 * 1024,
  // Longer than nginx keeps a connection, so that it never sends on one that is closed at that moment.
  keepAliveTimeout: 75_000,
  // By default the number 1 would become the text "1".
  ajv: { customOptions: { coerceTypes: false } },
});

// Every body is JSON, whatever `Content-Type` says. Whole numbers become BigInts; `JSON.parse` would round those beyond 53 bits.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, bytes) => {
  try {
    if (isUtf8(bytes)) return parse(bytes.toString(), undefined, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text)));
  } catch {
    // It is answered as what is no text is.
  }
  throw Object.assign(new Error('the body is no JSON'), { statusCode: 422 });
});

function isAmount(valor) {
  return typeof valor === 'bigint' && valor > 0n && valor <= INT8_MAX;
}

/** Zero, which no client has, for what is no id. */
function clientId({ params: { id } }) {
  return /^\d+$/.test(id) && Number(id) <= INT4_MAX ? Number(id) : 0;
}

app.post('/clientes/:id/transacoes', { schema: { body: newMove, response: { 200: balance } } }, async (request, reply) => {
  if (!isAmount(request.body.valor) || !request.body.descricao.isWellFormed()) return reply.code(422).send();
  const moved = await store.move(clientId(request), request.body);
  if (!moved) return reply.code(404).send();
  return moved.saldo === null ? reply.code(422).send() : moved;
});

app.get('/clientes/:id/extrato', { schema: { response: { 200: statement } } }, async (request, reply) => {
  return (await store.statement(clientId(request))) ?? reply.code(404).send();
});

// What a schema refuses is 422; what has no status is the database's.
app.setErrorHandler((error, _request, reply) => {
  const status = error.validation ? 422 : (error.statusCode ?? 503);
  if (status >= 500) console.error(error.message);
  return reply.code(status).send();
});

await store.open();
await app.listen({ host: '127.0.0.1', port: Number(process.env.HTTP_PORT ?? 8081) });

// On SIGTERM it takes no more connections, answers what is under way, and ends.
process.once('SIGTERM', async () => {
  setTimeout(() => process.exit(1), STOP_MS).unref();
  await app.close();
  await store.close();
});
