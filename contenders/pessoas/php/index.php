<?php

// All routes. php-fpm runs this file once for each request.

declare(strict_types=1);

require __DIR__ . '/database.php';
require __DIR__ . '/person.php';

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
// Of arrays PDO knows only PostgreSQL's notation; JSON comes back as it is to be shown.
const COLUMNS = 'id, apelido, nome, nascimento, to_json(stack) AS stack';

function answer(int $status, string $type = 'text/plain', string $body = ''): void
{
    http_response_code($status);
    header("Content-Type: $type");
    header('Content-Length: ' . strlen($body));
    echo $body;
}

function answerJson(array $value): void
{
    answer(200, 'application/json', json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES));
}

function withStack(array $row): array
{
    return ['stack' => json_decode($row['stack'] ?? 'null')] + $row;
}

function create(): void
{
    $new = json_decode(file_get_contents('php://input'));
    if (!$new instanceof stdClass || !hasTypes($new)) {
        answer(400);
        return;
    }
    if (!isValid($new)) {
        answer(422);
        return;
    }
    $id = newId();
    $insert = database()->prepare(
        'INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES (?, ?, ?, ?, ?) ON CONFLICT (apelido) DO NOTHING'
    );
    $insert->execute([$id, $new->apelido, $new->nome, $new->nascimento, toArrayLiteral($new->stack ?? null)]);
    if ($insert->rowCount() === 0) {
        answer(422);
        return;
    }
    header("Location: /pessoas/$id");
    answer(201);
}

function find(string $id): void
{
    $select = database()->prepare('SELECT ' . COLUMNS . ' FROM pessoas WHERE id = ?');
    $select->execute([$id]);
    $row = $select->fetch();
    $row ? answerJson(withStack($row)) : answer(404);
}

function search(mixed $term): void
{
    // `t[]=x` is a list to PHP.
    if (!is_string($term) || $term === '' || !preg_match('//u', $term)) {
        answer(400);
        return;
    }
    if (str_contains($term, "\0")) {
        // Nobody has it, and PostgreSQL cannot be asked for it.
        answerJson([]);
        return;
    }
    $select = database()->prepare('SELECT ' . COLUMNS . ' FROM pessoas WHERE busca LIKE lower(?) LIMIT 50');
    $select->execute(['%' . addcslashes($term, '%_\\') . '%']);
    answerJson(array_map(withStack(...), $select->fetchAll()));
}

function count_people(): void
{
    answer(200, body: (string) database()->query('SELECT count(*) FROM pessoas')->fetchColumn());
}

$method = $_SERVER['REQUEST_METHOD'];
$isRead = $method === 'GET' || $method === 'HEAD';
$path = $_SERVER['DOCUMENT_URI'];
try {
    match (true) {
        $path === '/pessoas' && $method === 'POST' => create(),
        $path === '/pessoas' && $isRead => search($_GET['t'] ?? null),
        $path === '/contagem-pessoas' && $isRead => count_people(),
        $isRead && preg_match('~\A/pessoas/(' . UUID . ')\z~', $path, $found) === 1 => find($found[1]),
        in_array($path, ['/pessoas', '/contagem-pessoas'], true) || !$isRead => answer(405),
        default => answer(404),
    };
} catch (PDOException $error) {
    error_log('database: ' . $error->getMessage());
    answer(500);
}
