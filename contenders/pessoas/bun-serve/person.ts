// What a valid person is. Field names are the contest's.

const APELIDO_MAX = 32;
const NOME_MAX = 100;
const TECHNOLOGY_MAX = 32;

export interface NewPerson {
  apelido: string;
  nome: string;
  nascimento: string;
  stack: string[] | null;
}

/** A body of the right types. What is null or missing is a matter of `validate`. */
export interface Draft {
  apelido?: string | null;
  nome?: string | null;
  nascimento?: string | null;
  stack?: (string | null)[] | null;
}

// Refuses what is no UTF-8; by default it would put U+FFFD in place of what it cannot read.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a body; nothing where it is no JSON, or has a wrong type. */
export function read(bytes: ArrayBuffer): Draft | undefined {
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes));
    return isDraft(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The person in a draft; nothing where a rule is broken. */
export function validate({ apelido, nome, nascimento, stack = null }: Draft): NewPerson | undefined {
  const isValid =
    fits(apelido, APELIDO_MAX) &&
    fits(nome, NOME_MAX) &&
    isDate(nascimento) &&
    (stack === null || stack.every((technology) => fits(technology, TECHNOLOGY_MAX)));
  return isValid ? { apelido, nome, nascimento, stack: stack as string[] | null } : undefined;
}

function isDraft(body: unknown): body is Draft {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  const { apelido, nome, nascimento, stack } = body as Record<string, unknown>;
  return (
    [apelido, nome, nascimento].every(isTextOrNothing) &&
    (stack == null || (Array.isArray(stack) && stack.every(isTextOrNothing)))
  );
}

function isTextOrNothing(value: unknown): boolean {
  return value == null || typeof value === "string";
}

/** PostgreSQL keeps neither NUL nor half of a surrogate pair in a text. */
function fits(text: string | null | undefined, max: number): text is string {
  return text != null && text !== "" && hasAtMost(text, max) && !text.includes("\0") && text.isWellFormed();
}

/** Counts characters as PostgreSQL does. `length` counts one beyond U+FFFF as two, so it is asked only for bounds. */
function hasAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}

/** `Date` may take 30 February for 1 March, so it is asked for its own text. PostgreSQL's calendar has no year 0. */
function isDate(text: string | null | undefined): text is string {
  if (text == null || !/^(?!0000)\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
