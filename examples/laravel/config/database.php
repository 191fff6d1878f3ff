<?php

declare(strict_types=1);

// The framework's own config/database.php has the other connections; pgsql is used as it is there.
return [
    'connections' => [
        'sqlite' => [
            'driver' => 'sqlite',
            'url' => env('DB_URL'),
            'database' => env('DB_DATABASE', database_path('database.sqlite')),
            'prefix' => '',
            'foreign_key_constraints' => env('DB_FOREIGN_KEYS', true),
            // Readers do not wait for the writer, and a writer waits for its turn instead of failing.
            'journal_mode' => 'WAL',
            'busy_timeout' => 20_000,
            'synchronous' => 'NORMAL',
            // A transaction that reads first and writes later could not wait: it would fail at once when another wrote between.
            'transaction_mode' => 'IMMEDIATE',
        ],
    ],
];
