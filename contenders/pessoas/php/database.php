<?php

declare(strict_types=1);

/** The address in DATABASE_URL, in parts. */
function databaseAddress(): array
{
    $url = parse_url(getenv('DATABASE_URL') ?: 'postgres://postgres@127.0.0.1:15432/postgres');
    return [
        'host' => $url['host'],
        'port' => $url['port'] ?? 5432,
        'dbname' => ltrim($url['path'] ?? 'postgres', '/'),
        'user' => urldecode($url['user'] ?? 'postgres'),
        'password' => urldecode($url['pass'] ?? ''),
    ];
}

/** The worker's connection: made by its first request, kept for all others, and made again once it is broken. */
function database(): PDO
{
    $parts = array_filter(databaseAddress(), fn ($value) => $value !== '');
    $dsn = 'pgsql:' . implode(';', array_map(fn ($key, $value) => "$key=$value", array_keys($parts), $parts));
    return new PDO($dsn, options: [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_TIMEOUT => 5,
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        // Statements end with the request, so preparing one would be two further exchanges with the database for nothing.
        PDO::PGSQL_ATTR_DISABLE_PREPARES => true,
    ]);
}
