<?php

declare(strict_types=1);

namespace Howdah\Tests\Runner;

/** Runs suites side by side, then, alone, those of the lane "alone" and the tests that were late; tells what failed. */
final class Run
{
    /** The exit status where no suite was wrong; a suite's own is FIRST and its place in the table. */
    private const LATE = 70, ENVIRONMENT = 75, FIRST = 10;

    /** How often a test that was late is tried again. */
    private const TRIES = 3;

    /** Failures and lines that the end tells. */
    private const FAILURES = 7, LINES = 30;

    /** Lines of the log of a suite that is wrong. */
    private const LOG_LINES = 300;

    /** The lane of suites that run with nothing beside them; the other release's root waits for that, too. */
    private const ALONE = 'alone';

    private readonly float $start;

    /** @var array<string, array<string, array{late: bool, place: string, message: list<string>}>> by suite: tests that were late */
    private array $late = [];

    /** @var list<string> what the end tells */
    private array $findings = [];
    private int $status = 0;

    /**
     * @param list<Suite> $suites
     * @param string      $folder for logs and records
     */
    public function __construct(private readonly array $suites, private readonly string $folder)
    {
        $this->start = hrtime(true) / 1e9;
        pcntl_async_signals(true);
        foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
            pcntl_signal($signal, function () use ($signal): never {
                array_map(static fn (Suite $suite) => $suite->end(SIGTERM), $this->suites);
                exit(128 + $signal);
            });
        }
    }

    public function go(): int
    {
        $this->runLanes();
        $this->awaitQuiet();
        // What is wrong stays wrong: what was late beside it need not be known.
        foreach ($this->suites as $suite) {
            if ($suite->lane === self::ALONE && !$this->isWrong()) {
                $this->runAlone($suite);
            }
        }
        foreach ($this->suites as $suite) {
            if (isset($this->late[$suite->name]) && !$this->isWrong()) {
                $this->tryAgain($suite);
            }
        }
        $this->tell();

        return $this->status;
    }

    private function runLanes(): void
    {
        $lanes = [];
        foreach ($this->suites as $suite) {
            $lanes[$suite->lane][] = $suite;
        }
        unset($lanes[self::ALONE]);
        do {
            foreach ($lanes as $lane => $suites) {
                $suite = $suites[0];
                if ($suite->result === 'not started' && (!$this->isWrong() || getenv('HOWDAH_KEEP_GOING'))) {
                    $suite->start();
                }
                $this->tellNews($suite);
                if ($suite->hasEnded()) {
                    $this->tellEnd($suite);
                }
                if (!$suite->isRunning()) {
                    array_shift($lanes[$lane]);
                }
            }
            $lanes = array_filter($lanes);
            if (array_keys($lanes) === [Suite::OTHER]) {
                // The other release's run has the machine for itself now, for its clocks and for what was late there.
                touch("$this->folder/alone");
            }
            usleep(50_000);
        } while ($lanes !== []);
    }

    /** In the root of another release: until the machine's own suites have ended. */
    private function awaitQuiet(): void
    {
        $file = (string) getenv('HOWDAH_ALONE');
        $wanted = $this->late !== [] || in_array(self::ALONE, array_column($this->suites, 'lane'), true);
        while ($wanted && $file !== '' && !is_file($file) && !$this->isWrong()) {
            usleep(500_000);
        }
    }

    /** Up to three times, alone: a machine that is busy for a moment has time to become quiet. */
    private function tryAgain(Suite $suite): void
    {
        $late = $this->late[$suite->name];
        for ($try = 1; $try <= self::TRIES && $late !== []; $try++) {
            foreach ($late as $test => $failure) {
                $row = [$suite->name, $test, "before try $try", $failure['place'], implode(' ', $failure['message'])];
                file_put_contents("$this->folder/late.tsv", implode("\t", $row) . "\n", FILE_APPEND);
            }
            $tests = array_keys($late);
            $this->runAlone($suite, "try$try", $tests);
            if ($suite->result === 'wrong') {
                return;
            }
            $late = $suite->record->failures ?? [];
            if ($late === [] && $suite->record?->count !== count($tests)) {
                $suite->result = 'wrong';
                $suite->reason = sprintf('%d of %d tests were found again', $suite->record?->count, count($tests));
                $this->judge($suite);

                return;
            }
        }
        $suite->result = $late === [] ? 'passed late' : 'late';
        if ($late !== []) {
            $this->judge($suite);
        }
    }

    /** @param ?list<string> $tests */
    private function runAlone(Suite $suite, string $name = '', ?array $tests = null): void
    {
        $suite->start($name, $tests);
        while (!$suite->hasEnded()) {
            $this->tellNews($suite);
            usleep(50_000);
        }
        $this->tellEnd($suite, $name === '' ? '' : " ($name)");
    }

    private function tellNews(Suite $suite): void
    {
        if ($suite->isRunning() && ($news = $suite->news()) !== '') {
            echo preg_replace('/^/m', "$suite->name: ", $news), "\n";
        }
    }

    private function tellEnd(Suite $suite, string $which = ''): void
    {
        $told = "==== $suite->result $suite->name$which";
        printf("%s: %d s, %d CPU s (at %d s)\n", $told, $suite->seconds, $suite->cpu, $this->seconds());
        if ($suite->result === 'late') {
            $this->late[$suite->name] = ($this->late[$suite->name] ?? []) + ($suite->record->failures ?? []);
        } elseif ($suite->result === 'wrong' || $suite->result === 'environment') {
            $this->judge($suite);
            // The log may be out of reach of those who read this.
            echo implode("\n", $suite->lastLines(self::LOG_LINES)), "\n==== end of {$suite->log()}\n";
        }
    }

    /** Keeps what the end tells; the first suite that is wrong gives the exit status, before all that is late or the environment's. */
    private function judge(Suite $suite): void
    {
        $this->find($suite);
        $wrong = $this->status >= self::FIRST && $this->status < self::LATE;
        $this->status = match (true) {
            $wrong => $this->status,
            $suite->result === 'wrong' => self::FIRST + $suite->number,
            $suite->result === 'late' => self::LATE,
            default => $this->status ?: self::ENVIRONMENT,
        };
    }

    private function isWrong(): bool
    {
        return $this->status !== 0;
    }

    private function seconds(): int
    {
        return (int) (hrtime(true) / 1e9 - $this->start);
    }

    private function find(Suite $suite): void
    {
        $log = "  log: {$suite->log()}";
        $kind = ['late' => 'LATE, three times', 'environment' => 'ENVIRONMENT, not your change'][$suite->result] ?? 'WRONG';
        foreach ($suite->record->failures ?? [] as $test => $failure) {
            $kind_of_test = $failure['late'] && $suite->result === 'wrong' ? 'LATE beside it' : $kind;
            $again = preg_replace('/^.*\\\\/', '', preg_replace('/ with data set.*/s', '', $test) ?? '');
            $this->findings[] = implode("\n", [
                "$kind_of_test: $suite->name: $test ({$failure['place']})",
                ...array_map(static fn (string $line): string => "  | $line", $failure['message']),
                "$log; again: tests/again '$again'",
            ]);
        }
        if (($suite->record->failures ?? []) === []) {
            $lines = array_map(static fn (string $line): string => '  | ' . mb_strcut($line, 0, 240), $suite->lastLines(14));
            $reason = $suite->reason === null ? '' : ": $suite->reason";
            $this->findings[] = "$kind: $suite->name$reason\n" . implode("\n", $lines) . "\n$log; again: make $suite->name";
        }
    }

    private function tell(): void
    {
        echo "\n==== summary\n";
        foreach ($this->suites as $suite) {
            printf('%-12s %-22s %5d s %5d CPU s', $suite->result, $suite->name, $suite->seconds, $suite->cpu);
            echo $suite->result === 'not run' ? "  $suite->reason\n" : "\n";
        }
        $cpu = array_sum(array_column($this->suites, 'cpu'));
        printf("%-12s %-22s %5d s %5d CPU s\n\n", '', 'all of it', $this->seconds(), $cpu);
        if (is_file("$this->folder/late.tsv")) {
            echo "Late, and tried again alone: $this->folder/late.tsv\n", file_get_contents("$this->folder/late.tsv"), "\n";
        }
        $lines = explode("\n", implode("\n", array_slice($this->findings, 0, self::FAILURES)));
        echo implode("\n", array_slice($lines, 0, self::LINES)), "\n";
        if (count($this->findings) > self::FAILURES || count($lines) > self::LINES) {
            printf("... %d findings in all: %s/findings\n", count($this->findings), $this->folder);
        }
        file_put_contents("$this->folder/findings", implode("\n", $this->findings) . "\n");
        file_put_contents("$this->folder/status", "$this->status\n");
        $counts = array_count_values(array_column($this->suites, 'result'));
        $passed = ($counts['passed'] ?? 0) + ($counts['passed late'] ?? 0);
        $skipped = ($counts['not run'] ?? 0) + ($counts['not started'] ?? 0);
        $failed = count($this->suites) - $passed - $skipped;
        echo "$passed passed, $failed failed", $skipped > 0 ? ", $skipped skipped" : '', "\n";
    }
}
