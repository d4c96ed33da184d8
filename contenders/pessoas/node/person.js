// What a valid person is. Field names are the contest's.

import { isUtf8 } from 'node:buffer';

const APELIDO_MAX = 32;
const NOME_MAX = 100;
const TECHNOLOGY_MAX = 32;

/** Tells whether a body can be JSON: in what is no UTF-8, a decoder would put U+FFFD in place of what it cannot read. */
export function isText(bytes) {
  return bytes.length > 0 && isUtf8(bytes);
}

/** Tells whether JSON is an object with the right types. What is null or missing is a matter of `isValid`. */
export function hasRightTypes(body) {
  return (
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    [body.apelido, body.nome, body.nascimento].every(isTextOrNothing) &&
    (body.stack == null || (Array.isArray(body.stack) && body.stack.every(isTextOrNothing)))
  );
}

export function isValid({ apelido, nome, nascimento, stack }) {
  return (
    fits(apelido, APELIDO_MAX) &&
    fits(nome, NOME_MAX) &&
    isDate(nascimento) &&
    (stack == null || stack.every((technology) => fits(technology, TECHNOLOGY_MAX)))
  );
}

function isTextOrNothing(value) {
  return value == null || typeof value === 'string';
}

/** PostgreSQL keeps neither NUL nor half of a surrogate pair in a text. */
function fits(text, max) {
  return text != null && text !== '' && hasAtMost(text, max) && !text.includes('\0') && text.isWellFormed();
}

/** Counts characters as PostgreSQL does. `length` counts one beyond U+FFFF as two, so it is asked only for bounds. */
function hasAtMost(text, max) {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}

/** `Date` takes 30 February for 1 March, so it is asked for its own text. PostgreSQL's calendar has no year 0. */
function isDate(text) {
  if (text == null || !/^(?!0000)\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
