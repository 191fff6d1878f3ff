<?php

/**
 * What the session tests ask for: `?do=ACTION&handler=store|callbacks|wrapped`; without a handler, php.ini's.
 *
 * Each answer tells what the request found before it started its session: it must be nothing.
 */

declare(strict_types=1);

namespace Howdah\SessionTests\App;

require_once __DIR__ . '/Store.php';
require_once __DIR__ . '/Wrapped.php';

function act(): void
{
    $before = [session_status(), session_id(), isset($_SESSION), session_name(), session_module_name()];
    choose(query('handler'));
    $told = match (query('do')) {
        'nothing' => [],
        'regenerate' => regenerate(),
        'destroy' => destroy(),
        'gc' => collect(),
        'short' => visitShortly(),
        'close' => close(),
        'twice' => twice(),
        'abort' => abort(),
        'reset' => resetSession(),
        default => visit(),
    };
    header('Content-Type: application/json');
    echo json_encode(['before' => $before] + $told, JSON_THROW_ON_ERROR);
}

function query(string $name, string $default = ''): string
{
    $value = $_GET[$name] ?? $default;

    return is_string($value) ? $value : $default;
}

function choose(string $handler): void
{
    $store = new Store();
    match ($handler) {
        'store' => session_set_save_handler($store, true),
        'wrapped' => session_set_save_handler(new Wrapped(), true),
        // Deprecated from PHP 8.4 on, and still used.
        'callbacks' => @session_set_save_handler(
            static fn (string $path, string $name): bool => $store->open($path, $name),
            static fn (): bool => $store->close(),
            static fn (string $id): string|false => $store->read($id),
            static fn (string $id, string $data): bool => $store->write($id, $data),
            static fn (string $id): bool => $store->destroy($id),
            static fn (int $seconds): int|false => $store->gc($seconds),
            static fn (): string => $store->create_sid(),
            static fn (string $id): bool => $store->validateId($id),
            static fn (string $id, string $data): bool => $store->updateTimestamp($id, $data),
        ),
        default => null,
    };
    if ($handler === 'callbacks') {
        register_shutdown_function(session_write_close(...));
    }
}

/** @return array<string, mixed> */
function visit(): array
{
    session_start();
    $had = $_SESSION;
    $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
    foreach (['user', 'word'] as $name) {
        if (query($name) !== '') {
            $_SESSION[$name] = query($name);
        }
    }
    if (query('wait') !== '') {
        usleep((int) query('wait'));
    }

    return ['id' => session_id(), 'had' => $had, 'has' => $_SESSION];
}

/** @return array<string, mixed> */
function regenerate(): array
{
    session_start();
    $had = $_SESSION;
    $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
    session_regenerate_id(query('delete') === '1');
    usleep((int) query('wait', '0'));

    return ['id' => session_id(), 'had' => $had, 'has' => $_SESSION];
}

/** @return array<string, mixed> */
function destroy(): array
{
    session_start();
    $had = $_SESSION;
    $_SESSION = [];

    return ['had' => $had, 'destroyed' => session_destroy(), 'after' => [session_status(), session_id()]];
}

/** @return array<string, mixed> */
function collect(): array
{
    session_start();

    return ['collected' => session_gc()];
}

/**
 * A session for a second.
 *
 * @return array<string, mixed>
 */
function visitShortly(): array
{
    ini_set('session.gc_maxlifetime', '1');
    $told = visit();
    session_write_close();
    ini_restore('session.gc_maxlifetime');

    return $told;
}

/**
 * Writes and closes, and goes on until a file is there.
 *
 * @return array<string, mixed>
 */
function close(): array
{
    session_start();
    $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
    $closed = session_write_close();
    $_SESSION['late'] = 'lost';
    touch(query('flag') . '.closed');
    for ($tries = 0; $tries < 10_000 && !file_exists(query('flag')); $tries++) {
        usleep(2_000);
        clearstatcache();
    }

    return ['closed' => $closed, 'status' => session_status(), 'tries' => $tries];
}

/** @return array<string, mixed> */
function twice(): array
{
    session_start();
    $_SESSION['count'] = 1;
    session_write_close();
    session_start();
    $had = $_SESSION;
    $_SESSION['count']++;
    session_commit();
    session_start(['read_and_close' => true]);

    return ['had' => $had, 'has' => $_SESSION, 'status' => session_status()];
}

/** @return array<string, mixed> */
function abort(): array
{
    session_start();
    $_SESSION['count'] = 99;

    return ['aborted' => session_abort()];
}

/** @return array<string, mixed> */
function resetSession(): array
{
    session_start();
    $_SESSION['count'] = 99;

    return ['reset' => session_reset(), 'has' => $_SESSION];
}
