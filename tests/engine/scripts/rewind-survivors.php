<?php

/**
 * Uses connections that outlive a request, to /?port= and in the file /?file=, and tells what it finds: the address of this
 * side of the socket, and how many requests have written to a temporary table.
 */

declare(strict_types=1);

while (
    frankenphp_handle_request(static function (): void {
        $port = is_numeric($_GET['port'] ?? null) ? (int) $_GET['port'] : 0;
        $file = is_string($_GET['file'] ?? null) ? $_GET['file'] : '';
        $socket = pfsockopen('tcp://127.0.0.1', $port, timeout: 5.0) ?: throw new RuntimeException('no connection');
        fwrite($socket, "request {$_GET['i']}\n");
        $database = new PDO("sqlite:{$file}", options: [PDO::ATTR_PERSISTENT => true]);
        $database->exec('create temporary table if not exists seen (number integer)');
        $database->exec("insert into seen values ({$_GET['i']})");
        $seen = $database->query('select count(*) from seen')?->fetchColumn();
        $GLOBALS['kept'][] = [$socket, $database];
        echo stream_socket_get_name($socket, false), " {$seen}\n";
    })
) {
}
