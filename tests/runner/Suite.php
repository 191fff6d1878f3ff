<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

use RuntimeException;

/** A row of tests/suites, and the target of make that it names while it runs. */
final class Suite
{
    /** Seconds without a word after which a suite is ended: it hangs. How long it takes depends on what else the machine does. */
    private const PATIENCE = 1500, PATIENCE_WITH_LONG_ONES = 4 * 3600;

    /**
     * The lane of the other release's root. It is the longest, and installs and builds one thing after the other: each
     * session of another lane gets a third of what it gets. Where Linux does not share by sessions, all get the same.
     */
    public const OTHER = 'other';
    // Who is not privileged may ask for one such change in 0.1 s (sched_autogroup.c): all lanes ask at once.
    private const SHARE = '[ ! -w /proc/self/autogroup ] || for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do'
        . ' { echo "$0" >/proc/self/autogroup; } 2>/dev/null && break; sleep 0.1; done; exec "$@"';

    /** Failures that are told when they happen: where all tests fail, nobody reads each. */
    private const NEWS = 20;

    /** @var resource|null */
    private $process = null;
    private float $start = 0;
    private float $heard = 0;
    private int $said = 0;
    private int $told = 0;
    private int $news = 0;
    private string $files = '';

    public string $result = 'not started';
    public int $seconds = 0;
    public float $cpu = 0;
    public ?string $reason = null;
    public ?Record $record = null;

    /**
     * @param int $number its place in the table
     */
    public function __construct(
        public readonly int $number,
        public readonly string $name,
        public readonly string $lane,
        private readonly string $folder,
    ) {
    }

    /**
     * @param string        $name  of this try; its files have it in their names
     * @param ?list<string> $tests only these
     */
    public function start(string $name = '', ?array $tests = null): void
    {
        $this->files = "$this->folder/$this->name" . ($name === '' ? '' : ".$name");
        array_map(unlink(...), glob("$this->files.{xml,events,log}", GLOB_BRACE) ?: []);
        $this->told = $this->news = $this->said = 0;
        $this->start = $this->heard = hrtime(true) / 1e9;
        $environment = ['HOWDAH_RECORD' => $this->files] + getenv();
        if ($tests !== null) {
            $environment['HOWDAH_ONLY'] = Record::filter($tests);
        }
        // A session of its own: what it leaves running can be ended, and Linux shares processors out by sessions (autogroup).
        $make = [getenv('MAKE') ?: 'make', '--no-print-directory', $this->name];
        $log = fopen($this->log(), 'w') ?: throw new RuntimeException("{$this->log()} cannot be written");
        $process = proc_open(
            ['setsid', 'sh', '-c', self::SHARE, $this->lane === self::OTHER ? '0' : '5', ...$make],
            [['file', '/dev/null', 'r'], $log, $log],
            $pipes,
            null,
            $environment,
        );
        $this->process = $process ?: throw new RuntimeException("$this->name cannot be started");
        $this->result = 'running';
    }

    public function log(): string
    {
        return "$this->files.log";
    }

    public function isRunning(): bool
    {
        return $this->process !== null;
    }

    /** Lines of PHPUnit that tell of a failure, as they come. */
    public function news(): string
    {
        $events = (string) @file_get_contents("$this->files.events", false, null, $this->told);
        $events = substr($events, 0, (int) strrpos($events, "\n"));
        $this->told += strlen($events);
        $bad = '~^(?:Test (?:Failed|Errored|Considered Risky)|Before First .* Errored).*(?:\n(?!Test ).*){0,2}~m';
        preg_match_all($bad, $events, $found);
        $news = array_slice($found[0], 0, max(0, self::NEWS - $this->news));
        $this->news += count($found[0]);

        return implode("\n", $news);
    }

    /** Whether it has come to its end since it was asked last. */
    public function hasEnded(): bool
    {
        if ($this->process === null) {
            return false;
        }
        $before = self::childrenSeconds();
        $status = proc_get_status($this->process);
        $now = hrtime(true) / 1e9;
        if ($status['running']) {
            $this->listen($now);

            return false;
        }
        $seconds = $now - $this->start;
        $this->cpu += self::childrenSeconds() - $before;
        $this->seconds += (int) round($seconds);
        $this->end(SIGKILL);
        $this->process = null;
        $this->judge($status['exitcode']);

        return true;
    }

    /** Ends it where it hangs. */
    private function listen(float $now): void
    {
        clearstatcache();
        $said = (int) @filesize($this->log()) + (int) @filesize("$this->files.events");
        if ($said !== $this->said) {
            $this->said = $said;
            $this->heard = $now;
        }
        $patience = getenv('HOWDAH_PATIENCE') ?: (getenv('HOWDAH_LONG') ? self::PATIENCE_WITH_LONG_ONES : self::PATIENCE);
        if ($now - $this->heard > (float) $patience) {
            $this->reason = sprintf('it hangs: no word for %d s', $now - $this->heard);
            $this->end(SIGKILL);
        }
    }

    /** Ends it, and what it started: timeout(1), and whoever else makes a process group of its own, stays in the session. */
    public function end(int $signal): void
    {
        if ($this->process !== null) {
            $session = proc_get_status($this->process)['pid'];
            @posix_kill(-$session, $signal);
            array_map(static fn (int $process): bool => @posix_kill($process, $signal), self::ofSession($session));
        }
    }

    /** @return list<int> processes */
    private static function ofSession(int $session): array
    {
        $processes = [];
        foreach (glob('/proc/[0-9]*/stat') ?: [] as $file) {
            // Behind the name, which may have anything in it: state, parent, group, session.
            $fields = explode(' ', (string) strrchr((string) @file_get_contents($file), ')'));
            if (($fields[4] ?? null) === (string) $session) {
                $processes[] = (int) basename(dirname($file));
            }
        }

        return $processes;
    }

    /** @return list<string> the last lines of its log */
    public function lastLines(int $count): array
    {
        return array_slice(preg_split('/\R/', rtrim((string) @file_get_contents($this->log()))) ?: [], -$count);
    }

    private function judge(int $status): void
    {
        $this->record = Record::of($this->files);
        $log = (string) @file_get_contents($this->log());
        if ($status === 0) {
            $left_out = preg_match('/^(?:\S+: )?NOT RUN: (.*)/m', $log, $match) === 1;
            $this->result = $left_out ? 'not run' : 'passed';
            $this->reason = $left_out ? $match[1] : null;
        } elseif (!$this->record->whole && preg_match('/^make.* Error 75$/m', $log) === 1) {
            $this->result = 'environment';
        } else {
            $this->result = $this->record->isLate() && $this->reason === null ? 'late' : 'wrong';
        }
    }

    /** Processor seconds of all children that have been waited for. */
    private static function childrenSeconds(): float
    {
        $usage = array_map(static fn (mixed $figure): int => is_int($figure) ? $figure : 0, getrusage(1) ?: []);
        $seconds = ($usage['ru_utime.tv_sec'] ?? 0) + ($usage['ru_stime.tv_sec'] ?? 0);

        return $seconds + (($usage['ru_utime.tv_usec'] ?? 0) + ($usage['ru_stime.tv_usec'] ?? 0)) / 1e6;
    }
}
