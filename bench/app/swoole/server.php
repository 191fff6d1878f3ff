<?php

/* Swoole as bench/src/Server/Swoole.php starts it: port, mode. One worker, nothing logged. */

declare(strict_types=1);

/** @param callable(Swoole\Http\Request, Swoole\Http\Response): void $handle */
function serve(callable $handle): void
{
    [, $port, $mode] = $_SERVER['argv'];
    $server = new Swoole\Http\Server('127.0.0.1', (int) $port, $mode === 'base' ? SWOOLE_BASE : SWOOLE_PROCESS);
    $server->set([
        'worker_num' => 1,
        'backlog' => 4096,
        'max_connection' => 8192,
        'log_level' => SWOOLE_LOG_ERROR,
        // As a framework without coroutines of its own is run.
        'enable_coroutine' => false,
    ]);
    $server->on('request', $handle);
    $server->start();
}
