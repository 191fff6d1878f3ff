<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Dying;

use FFI;
use Fiber;
use RuntimeException;

require_once __DIR__ . '/Held.php';
require_once __DIR__ . '/deaths.php';
require_once __DIR__ . '/crashes.php';

/** Neighbours wait and compute, and the victim dies among them. */
function serve(): void
{
    match (strtok($_SERVER['REQUEST_URI'], '?')) {
        '/neighbour' => neighbour($_GET['kind'], (int) $_GET['id'], $_GET['until']),
        '/victim' => victim($_GET['how'], $_GET['folder'], (int) $_GET['neighbours'], (int) $_GET['begun']),
        '/die' => (__NAMESPACE__ . '\\' . str_replace('-', '_', $_GET['how']))(),
        '/worker' => print json_encode(changeTheWorker()),
        '/hold' => hold($_GET['folder'], $_GET['name'], (int) $_GET['after']),
        '/echo' => print $_GET['text'],
        default => http_response_code(404),
    };
}

/**
 * Waits or computes, again and again until there is a file, and once more. Answers with a value that depends on its id, if
 * all that it has set is still there.
 */
function neighbour(string $kind, int $id, string $until): void
{
    static $calls = [];
    header('X-Worker: ' . getmypid());
    if ($until !== '') {
        touch(dirname($until) . '/begun-' . uniqid(more_entropy: true));
    }
    $calls[] = $id;
    $count = count($calls);
    $GLOBALS['neighbour'] = $id;
    ini_set('precision', (string) (5 + $id));
    ob_start();
    echo "[$id]";
    $patience = microtime(true) + 120;
    do {
        $last = $until === '' || file_exists($until);
        match ($kind) {
            'sleep' => usleep(200_000),
            'socket' => readFromChild(),
            'child' => proc_close(proc_open(['sleep', '0.2'], [], $pipes)),
            'fiber' => sleepInFiber(),
            'lock' => waitForLock($id),
            'compute' => null,
        };
        $value = compute($id, $kind === 'compute' ? 50_000 : 1000);
    } while (!$last && microtime(true) < $patience);
    $buffer = ob_get_clean();
    if ($buffer !== "[$id]" || $GLOBALS['neighbour'] !== $id || ini_get('precision') !== (string) (5 + $id)) {
        throw new RuntimeException("neighbour $id has lost its state");
    }
    if (count($calls) !== $count || end($calls) !== $id) {
        throw new RuntimeException("neighbour $id has lost its statics");
    }
    echo "$id $value";
}

/** @return array<string, mixed> what comes of calls that would change the worker for everybody */
function changeTheWorker(): array
{
    $limit = posix_getrlimit();
    $results = [
        'posix_setuid' => posix_setuid(65534),
        'posix_seteuid' => posix_seteuid(65534),
        'posix_setgid' => posix_setgid(65534),
        'posix_setegid' => posix_setegid(65534),
        'posix_initgroups' => posix_initgroups('nobody', 65534),
        'posix_setsid' => posix_setsid(),
        'posix_setpgid' => posix_setpgid(0, 0),
        'posix_setrlimit' => posix_setrlimit(POSIX_RLIMIT_NOFILE, 16, (int) $limit['hard openfiles']),
        'proc_nice' => @proc_nice(5),
        'errno' => posix_get_last_error(),
        'missing' => array_filter(
            ['chroot', 'dl', 'cli_set_process_title', 'pcntl_signal', 'pcntl_fork', 'pcntl_exec', 'pcntl_setpriority'],
            fn (string $name): bool => !function_exists($name),
        ),
        'to itself' => posix_setuid(posix_getuid()) && posix_setegid(posix_getegid()),
    ];
    // A child may change itself.
    exec('nice -n 5 sh -c "ulimit -n 16; ulimit -n; nice"', $results['child']);

    return $results;
}

/** Lets nobody else run in this worker once so many neighbours have begun, until it is told: C code that waits by itself. */
function hold(string $folder, string $name, int $neighbours): void
{
    while (count(glob("$folder/begun-*")) < $neighbours) {
        usleep(5000);
    }
    // One call of C from the first moment on: PHP code may have to let others run in between.
    $libc = FFI::cdef('int system(const char *);', 'libc.so.6');
    $libc->system("touch '$folder/held-$name'; until [ -e '$folder/release-$name' ]; do sleep 0.05; done");
    echo 'held';
}

function compute(int $id, int $rounds): string
{
    $value = sha1("neighbour $id");
    for ($i = 0; $i < $rounds; ++$i) {
        $value = sha1($value);
    }

    return $value;
}

function readFromChild(): void
{
    $process = proc_open(['sh', '-c', 'sleep 0.2; echo done'], [1 => ['pipe', 'w']], $pipes);
    if (fgets($pipes[1]) !== "done\n" || proc_close($process) !== 0) {
        throw new RuntimeException('the child said something else');
    }
}

function sleepInFiber(): void
{
    $fiber = new Fiber(static function (): string {
        usleep(100_000);
        $got = Fiber::suspend('half');
        usleep(100_000);

        return $got;
    });
    if ($fiber->start() !== 'half' || $fiber->resume('way') !== null || $fiber->getReturn() !== 'way') {
        throw new RuntimeException('the fiber has lost its way');
    }
}

/** Another process has the lock for a while. */
function waitForLock(int $id): void
{
    // The server's own: others may run beside it.
    $path = sys_get_temp_dir() . '/howdah-lock-' . posix_getppid() . "-$id";
    touch($path);
    $process = proc_open(['flock', $path, 'sh', '-c', 'echo; sleep 0.2'], [1 => ['pipe', 'w']], $pipes);
    fgets($pipes[1]);
    $file = fopen($path, 'r');
    if (!flock($file, LOCK_EX)) {
        throw new RuntimeException('no lock');
    }
    proc_close($process);
}

/** Takes hold of everything that a request may hold, waits until its neighbours are there, says so in a file, and dies. */
function victim(string $how, string $folder, int $neighbours, int $begun): void
{
    $held = new Held($folder);
    $patience = microtime(true) + 60;
    do {
        usleep(10_000);
        $status = \Howdah\status();
        $ready = $status['busy'] > $neighbours && count(glob("$folder/begun-*")) >= $begun;
    } while (!$ready && microtime(true) < $patience);
    touch("$folder/release-2");
    usleep(20_000);
    file_put_contents("$folder/victim", json_encode($held->names() + $status));
    ini_set('display_errors', '0');
    (__NAMESPACE__ . '\\' . str_replace('-', '_', $how))($held);
}
