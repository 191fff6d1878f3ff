<?php

// A worker script: boots once, and answers what ?do= asks for.

declare(strict_types=1);

$boots = ($GLOBALS['boots'] ?? 0) + 1;
$GLOBALS['boots'] = $boots;
$booted = ['worker' => $_SERVER['FRANKENPHP_WORKER'] ?? null, 'method' => $_SERVER['REQUEST_METHOD'] ?? null];
$served = 0;
register_shutdown_function(static fn () => error_log('script ends'));
ini_set('session.save_path', sys_get_temp_dir());

$handler = static function () use (&$served, $booted): void {
    ++$served;
    register_shutdown_function(static function (): void {
        echo ' shutdown';
    });
    $do = $_GET['do'] ?? '';
    match ($do === 'in-turn' ? ['session', 'exit', 'throw', 'session'][(int) $_GET['n'] % 4] : $do) {
        'boot' => print(json_encode($booted + ['served' => $served, 'now' => $_SERVER['FRANKENPHP_WORKER'] ?? null])),
        'exit' => exit('left'),
        'throw' => throw new RuntimeException('nobody catches this'),
        'fatal' => eval('abstract class A { abstract function f(); } new A;'),
        'memory' => str_repeat('x', 1 << 30),
        'nested' => print(nested()),
        'session' => print(session()),
        'buffers' => print(ob_start() && ob_start() ? 'open' : ''),
        default => print("served {$served}"),
    };
};

function nested(): string
{
    try {
        frankenphp_handle_request(static fn () => null);
    } catch (RuntimeException $error) {
        return $error->getMessage();
    }

    return 'no exception';
}

/** Every other request starts a session; those that do not must see none. */
function session(): string
{
    if ((int) $_GET['n'] % 2 === 0) {
        $seen = isset($_SESSION) ? 'LEAK' : 'none';
        session_start();
        $_SESSION['secret'] = $_GET['n'];

        return "{$seen} started";
    }

    return (isset($_SESSION) ? 'LEAK' : 'none') . ' ' . (session_id() === '' ? 'no id' : 'LEAK');
}

while (frankenphp_handle_request($handler)) {
}
