<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Children;

use FFI;

use function Howdah\HttpTests\waitAtDoor;

require_once dirname(__DIR__, 2) . '/door.php';

/** What ChildTest asks for: the path names the action. */
function act(): void
{
    $path = (string) parse_url((string) $_SERVER['REQUEST_URI'], PHP_URL_PATH);
    match ($path) {
        '/wait' => waitAtDoor(query('door')),
        '/hold' => print hold(),
        '/let-go' => print letGo((int) query('child')),
        '/start' => print start(query('how'), (int) query('number')),
        '/signals' => print json_encode(array_map(survives(...), json_decode(query('signals')))),
        default => null,
    };
    print ' ' . query('number');
}

function query(string $name): string
{
    return is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
}

/** Of the C library itself: PHP's own calls go through what stands in its place. */
function libc(): FFI
{
    return FFI::cdef(
        'int fork(void); int pause(void); void _exit(int); int kill(int, int); int waitpid(int, int *, int);
         int prctl(int, unsigned long); int system(const char *);
         int posix_spawnp(int *, const char *, void *, void *, char *const [], char *const []);',
        'libc.so.6',
    );
}

/** A child that never becomes another program: it has all of the worker's descriptors, as each has between fork and exec. */
function hold(): int
{
    $libc = libc();
    $child = $libc->fork();
    if ($child === 0) {
        $libc->prctl(1 /* PR_SET_PDEATHSIG */, 9);
        while (true) {
            $libc->pause();
        }
    }

    return $child;
}

function letGo(int $child): int
{
    $libc = libc();
    $libc->kill($child, 9);

    return $libc->waitpid($child, null, 0);
}

/** Whether a program has not noticed a signal that was sent to it as soon as its process was there. */
function survives(int $signal): bool
{
    $process = proc_open(['cat'], [['pipe', 'r'], ['file', '/dev/null', 'w']], $pipes);
    proc_terminate($process, $signal);
    fclose($pipes[0]);

    return (proc_close($process) & 127) !== $signal;
}

/** As libraries start a child that need no copy of themselves. */
function spawn(): string
{
    $libc = libc();
    $child = $libc->new('int[1]');
    $name = $libc->new('char[5]');
    FFI::memcpy($name, "true\0", 5);
    $words = $libc->new('char *[2]');
    $words[0] = $libc->cast('char *', FFI::addr($name[0]));
    $failed = $libc->posix_spawnp($child, 'true', null, null, $words, null);
    $status = $libc->new('int[1]');

    return $failed === 0 && $libc->waitpid($child[0], $status, 0) === $child[0] ? "spawn{$status[0]}" : 'lost';
}

/** A child, in each way that there is; what it says. */
function start(string $how, int $number): string
{
    $command = "echo $how";
    if ($how === 'proc_open') {
        $process = proc_open(['echo', $how], [1 => ['pipe', 'w']], $pipes);
        $said = (string) stream_get_contents($pipes[1]);
        fclose($pipes[1]);

        return trim($said) . proc_close($process);
    }
    if ($how === 'terminal') {
        $process = proc_open($command, [1 => ['pty']], $pipes);
        $said = (string) fgets($pipes[1]);

        return trim($said) . proc_close($process);
    }
    if ($how === 'spawn') {
        return spawn();
    }
    if ($how === 'popen') {
        $pipe = popen($command, 'r');
        $said = (string) fgets($pipe);

        return trim($said) . pclose($pipe);
    }
    if ($how === 'fork') {
        $libc = libc();
        $child = $libc->fork();
        $child === 0 && $libc->_exit(0);

        return $libc->waitpid($child, null, 0) === $child ? 'fork0' : 'lost';
    }

    return match ($how) {
        'exec' => exec($command) . '0',
        'mail' => mail('someone@example.com', 'subject', "text $number") ? 'mail0' : 'not sent',
        'library' => 'library' . libc()->system('true'),
        default => '',
    };
}
