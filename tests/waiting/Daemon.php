<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Clock;
use RuntimeException;

/** One program of a component: a folder of its own, a log, an end. It dies with PHPUnit, however that ends. */
final class Daemon
{
    /** Seconds until a program is ready: RabbitMQ computes for several, of which a busy machine makes many. */
    private const PATIENCE = 5 * Clock::PATIENCE;

    public readonly string $folder;

    /** The user it runs as when the tests are run by root, which database servers refuse; null: who runs the tests. */
    private readonly ?string $user;

    /** @var resource|null */
    private $process = null;

    /**
     * @param list<string> $users  those that may run it when root does the tests: the first one that the machine has is taken
     * @param int          $signal what ends it quickly but well: SIGTERM or SIGINT
     */
    public function __construct(private readonly string $name, array $users = [], private readonly int $signal = SIGTERM)
    {
        $known = array_filter($users, static fn (string $user): bool => posix_getpwnam($user) !== false);
        $this->user = posix_geteuid() === 0 ? array_values($known)[0] ?? null : null;
        $this->folder = sys_get_temp_dir() . "/howdah-$name-" . bin2hex(random_bytes(6));
        mkdir($this->folder, 0755);
        if ($this->user !== null) {
            chown($this->folder, $this->user);
        }
    }

    /**
     * Runs a program to its end, as the daemon's user and in its folder.
     *
     * @param non-empty-list<string> $command
     */
    public function run(array $command): void
    {
        $process = $this->launch($command);
        $status = proc_close($process);
        if ($status !== 0) {
            throw new RuntimeException("{$command[0]} ended with $status: {$this->log()}");
        }
    }

    /**
     * Starts the program that stays, and waits until it is ready.
     *
     * @param non-empty-list<string> $command
     * @param callable(): bool       $ready   asked again and again
     */
    public function start(array $command, callable $ready): void
    {
        $this->process = $this->launch($command);
        Clock::await(function () use ($ready): bool {
            $isReady = $ready();
            // Ready or not: somebody else may answer on its port.
            if (!$this->isRunning()) {
                throw new RuntimeException("{$this->name} does not start: {$this->log()}");
            }

            return $isReady;
        }, fn (): string => "{$this->name} starts: {$this->log()}", self::PATIENCE);
    }

    /** 0 when it does not run. */
    public function pid(): int
    {
        return $this->process === null ? 0 : proc_get_status($this->process)['pid'];
    }

    /** @phpstan-impure */
    public function isRunning(): bool
    {
        return $this->process !== null && proc_get_status($this->process)['running'];
    }

    /** Ends it by its own or another signal; after $seconds by SIGKILL. Its folder stays. */
    public function end(?int $signal = null, float $seconds = 10): void
    {
        $process = $this->process;
        if ($process === null) {
            return;
        }
        $pid = $this->pid();
        $clock = Clock::start();
        for ($sent = false; $this->isRunning(); usleep(10_000)) {
            if (!$sent || $clock->seconds() > $seconds) {
                posix_kill($pid, $sent ? SIGKILL : $signal ?? $this->signal);
                $sent = true;
            }
        }
        proc_close($process);
        $this->process = null;
    }

    /** Ends it and removes its folder. */
    public function remove(): void
    {
        $this->end();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** What it and the programs before it have said. */
    public function log(): string
    {
        return (string) @file_get_contents("{$this->folder}/log");
    }

    /**
     * @param  non-empty-list<string> $command
     * @return resource
     */
    private function launch(array $command)
    {
        $user = $this->user === null ? [] : ['--reuid', $this->user, '--regid', $this->group(), '--init-groups'];
        $log = ['file', "{$this->folder}/log", 'a'];
        $process = proc_open(
            ['setpriv', ...$user, '--pdeathsig', $this->signal === SIGINT ? 'INT' : 'TERM', ...$command],
            [['file', '/dev/null', 'r'], $log, $log],
            $pipes,
            $this->folder,
            // Its user may not write to ours.
            ['TMPDIR' => $this->folder] + getenv(),
        );
        if ($process === false) {
            throw new RuntimeException("{$command[0]} cannot be started");
        }

        return $process;
    }

    private function group(): string
    {
        $entry = posix_getpwnam((string) $this->user);

        return (string) ($entry === false ? posix_getegid() : $entry['gid']);
    }
}
