<?php

/* Swoole as bench/src/Server/Swoole.php starts it: port, mode, workers. Nothing is logged. */

declare(strict_types=1);

/**
 * @param callable(Swoole\Http\Request, Swoole\Http\Response): void $handle
 * @param bool $coroutines one for each request; without them it is run as a framework without coroutines of its own is
 */
function serve(callable $handle, bool $coroutines = false): void
{
    [, $port, $mode, $workers] = $_SERVER['argv'];
    $server = new Swoole\Http\Server('127.0.0.1', (int) $port, $mode === 'base' ? SWOOLE_BASE : SWOOLE_PROCESS);
    $server->set([
        'worker_num' => (int) $workers,
        'backlog' => 4096,
        'max_connection' => 8192,
        'log_level' => SWOOLE_LOG_ERROR,
        'enable_coroutine' => $coroutines,
    ]);
    $server->on('request', $handle);
    $server->start();
}
