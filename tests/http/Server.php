<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use RuntimeException;

/** `howdah serve` as a child process: its options, its log, its end. */
final class Server
{
    /** What the command says when it serves (cli/src/Command/ServeCommand.php), and not while an application boots for long. */
    private const READY = '(?<!: waiting); Ctrl-C stops';

    /** A second of a process in /proc/PID/stat (USER_HZ). */
    private const TICKS = 100;

    public readonly Client $client;
    public readonly int $port;
    public readonly int $pid;

    /** A folder of its own for temporary files: what is in it after the end was forgotten. */
    public readonly string $temporary;

    /** @var resource */
    private $process;
    private ?int $status = null;

    /**
     * @param string       $project
     * @param list<string> $options of serve; --listen is added
     * @param list<string> $command what comes before them
     */
    public function __construct(string $project, array $options = [], array $command = [])
    {
        $this->temporary = sys_get_temp_dir() . '/howdah-http-' . bin2hex(random_bytes(6));
        mkdir($this->temporary, 01777);
        chmod($this->temporary, 01777);
        $this->port = self::freePort();
        $this->client = new Client("http://127.0.0.1:{$this->port}");
        // HOWDAH_JIT=tracing runs a whole suite with opcache's JIT.
        $options = getenv('HOWDAH_JIT') === false ? $options : ['--jit=' . getenv('HOWDAH_JIT'), ...$options];
        $command = $command === [] ? [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'] : $command;
        $process = proc_open(
            [...$command, '--no-ansi', 'serve', $project, "--listen=127.0.0.1:{$this->port}", ...$options],
            [['file', '/dev/null', 'r'], ['file', $this->file('out'), 'w'], ['file', $this->file('err'), 'w']],
            $pipes,
            null,
            ['TMPDIR' => $this->temporary . '/tmp', 'FROM_OUTSIDE' => 'kept'] + getenv(),
        );
        if ($process === false) {
            throw new RuntimeException('howdah cannot be started');
        }
        $this->process = $process;
        $this->pid = proc_get_status($process)['pid'];
    }

    /** Starts and waits until it serves. */
    public static function serving(string $project, string ...$options): self
    {
        $server = new self($project, array_values($options));
        try {
            $server->awaitReady();
        } catch (RuntimeException $exception) {
            // Late is one, too.
            $server->stop();
            throw $exception;
        }

        return $server;
    }

    public function awaitReady(): void
    {
        $this->eventually(fn (): bool => preg_match('/' . self::READY . '/', $this->errors()) === 1 || !$this->isRunning());
        if (!$this->isRunning()) {
            throw new RuntimeException("howdah does not serve: {$this->errors()}");
        }
        // nginx listens before it has made its workers.
        $workers = preg_match('/(\d+) x .*' . self::READY . '/', $this->errors(), $match) === 1 ? (int) $match[1] : 1;
        $this->eventually(fn (): bool => count($this->workers()) >= $workers || !$this->isRunning());
    }

    /** Standard output: the access log. */
    public function output(): string
    {
        return (string) @file_get_contents($this->file('out'));
    }

    /** Standard error: what the command says, and the error log. */
    public function errors(): string
    {
        return (string) @file_get_contents($this->file('err'));
    }

    /** @return list<string> what the command has left in the temporary folder */
    public function leftovers(): array
    {
        return array_values(array_diff(scandir($this->temporary . '/tmp') ?: [], ['.', '..']));
    }

    /** @return list<int> the process ids of nginx's workers */
    public function workers(): array
    {
        return self::children($this->master());
    }

    /** The process id of nginx's master, 0 when it has gone. */
    public function master(): int
    {
        $names = static fn (int $pid): string => (string) @file_get_contents("/proc/$pid/comm");

        return array_values(array_filter(self::children($this->pid), fn (int $pid) => $names($pid) === "nginx\n"))[0] ?? 0;
    }

    /** What a process has used so far. */
    public static function processorSeconds(int $pid): float
    {
        // What comes before may contain spaces: the program's name (proc(5), /proc/pid/stat).
        $stat = explode(' ', substr((string) strrchr((string) file_get_contents("/proc/$pid/stat"), ')'), 2));

        return ((int) $stat[11] + (int) $stat[12]) / self::TICKS;
    }

    /**
     * Returns when a process does nothing more. A busy machine may make it look so before: what is looked at then has to be the
     * same, or less than it would be.
     */
    public static function awaitRest(int $pid): void
    {
        $used = -1.0;
        $still = 0;
        Clock::await(static function () use ($pid, &$used, &$still): bool {
            usleep(20_000);
            $before = $used;
            $used = self::processorSeconds($pid);
            $still = $used === $before ? $still + 1 : 0;

            return $still === 5;
        }, "process $pid comes to rest");
    }

    public function signal(int $signal): void
    {
        if ($this->isRunning()) {
            posix_kill($this->pid, $signal);
        }
    }

    /** Late where an old worker had no processor for seconds: a reload does not wait for it (cli/src/Control/Reload.php). */
    public function assertNobodyWasDeaf(): void
    {
        if (str_contains($this->errors(), 'of before the reload and has not heard of it')) {
            Clock::late('an old worker hears of the reload');
        }
    }

    /** Waits for the end and returns the exit status. Late when it does not end in time. */
    public function await(float $seconds = Clock::PATIENCE): ?int
    {
        Clock::await(fn (): bool => !$this->isRunning(), fn (): string => "howdah ends: {$this->lastErrors()}", $seconds);

        return $this->status;
    }

    public function stop(): void
    {
        $this->signal(SIGTERM);
        if (!$this->eventually(fn (): bool => !$this->isRunning(), Clock::PATIENCE)) {
            $this->signal(SIGKILL);
            $this->await();
        }
        proc_close($this->process);
        // An nginx whose supervisor was killed may still be removing its own files.
        $remove = 'rm -rf ' . escapeshellarg($this->temporary) . ' 2>&1';
        $this->eventually(fn (): bool => exec($remove, $lines, $status) !== false && $status === 0, 3);
    }

    /**
     * True, or late when it does not become so. A number of seconds is for what may not become so: false then.
     *
     * @param callable(): bool $condition
     */
    public function eventually(callable $condition, ?float $seconds = null): bool
    {
        if ($seconds === null) {
            return Clock::await($condition, fn (): string => "it does not become so: {$this->lastErrors()}");
        }
        for ($clock = Clock::start(); !$condition(); usleep(10_000)) {
            if ($clock->seconds() > $seconds) {
                return $condition();
            }
        }

        return true;
    }

    private function lastErrors(): string
    {
        return substr($this->errors(), -500);
    }

    /** @phpstan-impure */
    public function isRunning(): bool
    {
        if ($this->status !== null) {
            return false;
        }
        $state = proc_get_status($this->process);
        if (!$state['running']) {
            $this->status = $state['signaled'] ? 128 + $state['termsig'] : $state['exitcode'];
        }

        return $state['running'];
    }

    /** @return list<int> */
    public static function children(int $pid): array
    {
        $text = trim((string) @file_get_contents("/proc/$pid/task/$pid/children"));

        return $text === '' ? [] : array_map(intval(...), explode(' ', $text));
    }

    private function file(string $name): string
    {
        if (!is_dir($this->temporary . '/tmp')) {
            mkdir($this->temporary . '/tmp');
            chmod($this->temporary . '/tmp', 01777);
        }

        return "{$this->temporary}/$name";
    }

    /** A port on which nothing listens, and that no other call gets, whichever process makes it. */
    public static function freePort(): int
    {
        return Ports::take();
    }
}
