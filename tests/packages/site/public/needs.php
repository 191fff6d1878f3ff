<?php

/* What applications do that a sandbox may forbid, as JSON. */

declare(strict_types=1);

error_reporting(E_ALL);
ini_set('display_errors', '0');

$temporary = (string) tempnam(sys_get_temp_dir(), 'needs');
$process = proc_open(['sh', '-c', 'cat'], [['pipe', 'r'], ['pipe', 'w']], $pipes) ?: throw new RuntimeException('no process');
fwrite($pipes[0], 'piped');
fclose($pipes[0]);
$piped = stream_get_contents($pipes[1]);
proc_close($process);
/** @var array{jit?: array{on: bool}} $opcache */
$opcache = opcache_get_status(false) ?: [];
$status = (string) file_get_contents('/proc/self/status');

header('Content-Type: application/json');
echo json_encode([
    'user' => posix_getpwuid(posix_geteuid())['name'] ?? '',
    'shell' => trim((string) shell_exec('echo child')),
    'process' => $piped,
    'temporary file' => file_put_contents($temporary, 'text') === 4 && rename($temporary, "$temporary.renamed"),
    'own folder' => file_put_contents(dirname(__DIR__) . '/var/written', 'text') === 4,
    'session' => session_start() && session_write_close(),
    'network' => str_contains((string) file_get_contents('http://localhost/'), 'nginx'),
    'regular expression' => preg_match('/^(?:a|b)+$/', str_repeat('ab', 100)) === 1 && preg_last_error() === PREG_NO_ERROR,
    'jit' => $opcache['jit']['on'] ?? false,
    'mail' => mail('somebody@localhost', 'subject', 'text'),
    'environment' => getenv('APP_ENV'),
    'no new privileges' => preg_match('/^NoNewPrivs:\t1$/m', $status) === 1,
    'error' => error_get_last()['message'] ?? null,
]);
