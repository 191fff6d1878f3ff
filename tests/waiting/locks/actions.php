<?php

/**
 * What LockTest, SessionTest, ApcuTest and RowLockTest ask for:
 * `?do=session|flock|append|entry|rows|number|sleep&name=NAME&hold=SECONDS`.
 *
 * `until=NAME`: holds until that file is there. `tells=NAME`: makes it before it asks for anything; `takes=NAME`: when it has
 * what it asked for.
 * Answers tell when a request had the lock and let it go: nanoseconds of a clock that all processes share.
 */

declare(strict_types=1);

namespace Howdah\WaitingTests\Locks;

use Howdah\WaitingTests\App\Settings;
use RuntimeException;

require_once dirname(__DIR__) . '/app/autoload.php';
require_once __DIR__ . '/rows.php';

function act(): void
{
    tell(parameter('tells'));
    header('Content-Type: application/json');
    $told = match (parameter('do')) {
        'session' => session(),
        'flock' => lock(),
        'append' => append(),
        'entry' => entry(),
        'rows' => rows(),
        'number' => number(),
        'sleep' => nap(),
        default => [],
    };
    echo json_encode(['pid' => getmypid()] + $told, JSON_THROW_ON_ERROR);
}

function parameter(string $name): string
{
    return is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
}

function file(): string
{
    return Settings::folder() . '/' . basename(parameter('name'));
}

function tell(string $name): void
{
    if ($name !== '') {
        touch(Settings::folder() . '/' . basename($name));
    }
}

function hold(): void
{
    tell(parameter('takes'));
    usleep((int) ((float) parameter('hold') * 1_000_000));
    if (parameter('until') !== '') {
        await(basename(parameter('until')));
    }
}

/** @return array{slept: true} */
function nap(): array
{
    hold();

    return ['slept' => true];
}

/** Ways to end with the lock held; without a name, none. */
function end(string $way): void
{
    match ($way) {
        'exit' => exit('{"exited": true}'),
        'throw' => throw new RuntimeException('thrown with a lock held'),
        'memory' => str_repeat('x', 1 << 40),
        default => null,
    };
}

/**
 * Counts in a session; `how`: close (write and close, then hold), read (read_and_close), abort.
 *
 * @return array{had: int, free: int, count: mixed}
 */
function session(): array
{
    $how = parameter('how');
    session_save_path(Settings::folder());
    session_id(parameter('name'));
    $options = ['use_strict_mode' => false, 'use_cookies' => false, 'cache_limiter' => '', 'read_and_close' => $how === 'read'];
    if (!session_start($options)) {
        throw new RuntimeException('no session');
    }
    $had = hrtime(true);
    $count = is_int($_SESSION['count'] ?? null) ? $_SESSION['count'] : 0;
    if ($how !== 'read') {
        $_SESSION['count'] = ++$count;
    }
    if ($how === 'close') {
        session_write_close();
    }
    hold();
    end(parameter('end'));
    $free = hrtime(true);
    $how === 'abort' ? session_abort() : session_write_close();

    return ['had' => $had, 'free' => $free, 'count' => $count];
}

/**
 * Counts in a file, or with `how=shared` reads it.
 *
 * @return array{had: int, free: int, count: int}
 */
function lock(): array
{
    $isShared = parameter('how') === 'shared';
    $stream = fopen(file(), 'c+');
    if ($stream === false || !flock($stream, $isShared ? LOCK_SH : LOCK_EX)) {
        throw new RuntimeException('no lock');
    }
    $had = hrtime(true);
    $count = (int) fgets($stream);
    hold();
    end(parameter('end'));
    if (!$isShared) {
        rewind($stream);
        fwrite($stream, ++$count . "\n");
    }
    $free = hrtime(true);
    fclose($stream);

    return ['had' => $had, 'free' => $free, 'count' => $count];
}

/**
 * What tells requests of a worker apart, and what does not. The names are kept until the request ends.
 *
 * @return array{posix: int, mine: bool, locked: bool, tempnam: string, random: string, realm: mixed}
 */
function number(): array
{
    $owner = file() . '-pid';
    $stream = fopen(file(), 'c');
    $tempnam = tempnam(Settings::folder(), 'number');
    if ($stream === false || $tempnam === false) {
        throw new RuntimeException('no file');
    }
    is_file($owner) || file_put_contents($owner, getmypid());
    $told = [
        'posix' => posix_getpid(),
        'mine' => (int) file_get_contents($owner) === getmypid(),
        'locked' => flock($stream, LOCK_EX | LOCK_NB),
        'tempnam' => $tempnam,
        'random' => bin2hex(random_bytes(8)),
        'realm' => \Howdah\status()['realm'],
    ];
    hold();
    fclose($stream);

    return $told;
}

/**
 * A value that is computed once, while others wait for it.
 *
 * @return array{value: mixed}
 */
function entry(): array
{
    return ['value' => apcu_entry(parameter('name'), static function (): string {
        hold();
        end(parameter('end'));

        return bin2hex(random_bytes(8));
    })];
}

/**
 * file_put_contents() copies a stream that is slow, so it has the lock for a while.
 *
 * @return array{by: string, written: int|false}
 */
function append(): array
{
    $by = parameter('by');
    $file = escapeshellarg(Settings::folder() . '/' . basename(parameter('until')));
    $until = parameter('until') === '' ? ':' : "until [ -e $file ]; do sleep 0.01; done";
    $slow = popen('sleep ' . (float) parameter('hold') . "; $until; echo " . escapeshellarg($by), 'r');
    $written = file_put_contents(file(), $slow, FILE_APPEND | LOCK_EX);
    if ($slow !== false) {
        pclose($slow);
    }

    return ['by' => $by, 'written' => $written];
}
