<?php

// Waits for the database before php-fpm starts, as php-fpm itself would only find out request by request.

declare(strict_types=1);

require __DIR__ . '/database.php';

const PATIENCE_S = 30;

$end = microtime(true) + PATIENCE_S;
while (true) {
    try {
        database();
        exit(0);
    } catch (PDOException $error) {
        if (microtime(true) > $end) {
            ['host' => $host, 'port' => $port] = databaseAddress();
            $reason = strtok($error->getMessage(), "\n");
            fwrite(STDERR, "database: nobody answers at $host:$port for " . PATIENCE_S . " s ($reason)\n"
                . "hint: start PostgreSQL there, or set DATABASE_URL to where it is\n");
            exit(1);
        }
        usleep(200_000);
    }
}
