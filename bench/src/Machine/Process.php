<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Closure;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/**
 * A program that runs beside us: a server, or the load generator.
 *
 * Invariants:
 *   1. It leads a session of its own: a terminal's Ctrl-C reaches this program only, which then ends it.
 *   2. It dies when we die, however that happens (its parent-death signal is SIGTERM).
 *   3. After stop() no process of its session is left.
 */
final class Process
{
    private const STOP_SECONDS = 10;

    /** Of a log's line in a report. */
    private const LINE_BYTES = 240;

    private ?int $status = null;

    /** @param resource $process */
    private function __construct(
        private readonly string $name,
        private readonly RuntimeFolder $folder,
        private $process,
        public readonly int $id,
    ) {
    }

    /**
     * @param string                $name    of the files with its output
     * @param list<string>          $command
     * @param array<string, string> $environment what is added to ours
     */
    public static function start(string $name, array $command, RuntimeFolder $folder, array $environment = []): self
    {
        $setsid = Program::find('setsid');
        $setpriv = Program::find('setpriv');
        if ($setsid === null || $setpriv === null) {
            throw new Failure('setsid and setpriv are missing: `apt-get install util-linux`');
        }
        $process = proc_open(
            [$setsid, $setpriv, '--pdeathsig', 'TERM', ...$command],
            [
                ['file', '/dev/null', 'r'],
                ['file', "$folder->path/$name.out", 'w'],
                ['file', "$folder->path/$name.err", 'w'],
            ],
            $pipes,
            $folder->path,
            $environment + getenv(),
        );
        if ($process === false) {
            throw new Failure("$command[0] cannot be started: no process or memory is left on this machine");
        }

        return new self($name, $folder, $process, proc_get_status($process)['pid']);
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

    /**
     * Waits for its end, and no longer than so many seconds.
     *
     * @param Closure(): void|null $meanwhile called once, after so many seconds
     */
    public function await(float $seconds, float $after = 0.0, ?Closure $meanwhile = null): void
    {
        $start = hrtime(true);
        while ($this->isRunning() && hrtime(true) - $start < $seconds * 1e9) {
            usleep(10_000);
            if ($meanwhile !== null && hrtime(true) - $start > $after * 1e9) {
                $meanwhile();
                $meanwhile = null;
            }
        }
    }

    /** The exit status; null while it runs. */
    public function status(): ?int
    {
        return $this->isRunning() ? null : $this->status;
    }

    public function output(): string
    {
        return (string) @file_get_contents("{$this->folder->path}/{$this->name}.out");
    }

    /** The end of what it said on standard error, on one line. */
    public function complaint(): string
    {
        $lines = preg_split('/\R/', trim((string) @file_get_contents("{$this->folder->path}/{$this->name}.err"))) ?: [];

        $lines = array_map(static fn (string $line) => substr($line, 0, self::LINE_BYTES), array_unique($lines));

        return implode('; ', array_slice($lines, -5));
    }

    public function stop(): void
    {
        if ($this->isRunning()) {
            posix_kill($this->id, SIGTERM);
        }
        $deadline = hrtime(true) + self::STOP_SECONDS * 1_000_000_000;
        while ($this->isRunning() && hrtime(true) < $deadline) {
            usleep(10_000);
        }
        // Its session: what is left of it.
        @posix_kill(-$this->id, SIGKILL);
        while ($this->isRunning()) {
            usleep(10_000);
        }
        proc_close($this->process);
    }
}
