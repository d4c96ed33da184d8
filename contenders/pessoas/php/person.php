<?php

// What a valid person is.

declare(strict_types=1);

/** Whether what is given is of the right JSON types; null counts as not given. */
function hasTypes(stdClass $new): bool
{
    foreach (['apelido', 'nome', 'nascimento'] as $field) {
        if (!is_string($new->$field ?? '')) {
            return false;
        }
    }
    $stack = $new->stack ?? [];
    return is_array($stack) && array_filter($stack, fn ($element) => !is_string($element) && $element !== null) === [];
}

function isValid(stdClass $new): bool
{
    foreach ($new->stack ?? [] as $element) {
        if (!fits($element, 32)) {
            return false;
        }
    }
    return fits($new->apelido ?? null, 32) && fits($new->nome ?? null, 100) && isDate($new->nascimento ?? '');
}

/** Counted in characters. PostgreSQL keeps no NUL in a text. */
function fits(?string $text, int $charsMax): bool
{
    return $text !== null && preg_match("/\A[^\\0]{1,$charsMax}\z/u", $text) === 1;
}

/** Whether a text is `YYYY-MM-DD`, and that day exists. */
function isDate(string $text): bool
{
    return preg_match('/\A(\d{4})-(\d{2})-(\d{2})\z/', $text, $part) === 1
        && checkdate((int) $part[2], (int) $part[3], (int) $part[1]);
}

/** A random UUID (version 4). */
function newId(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

/** As PostgreSQL writes an array of texts. */
function toArrayLiteral(?array $texts): ?string
{
    if ($texts === null) {
        return null;
    }
    return '{' . implode(',', array_map(fn ($text) => '"' . addcslashes($text, '"\\') . '"', $texts)) . '}';
}
