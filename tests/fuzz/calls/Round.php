<?php

declare(strict_types=1);

namespace Howdah\Fuzz\Calls;

use Howdah\Fuzz\Fault;

/** One process of howdah-run: half of its requests call at random, the others look whether their values are their own. */
final class Round
{
    public const REQUESTS = 48;

    /** Calls of each request that calls, steps of each that looks. */
    private const CALLS = 60;
    private const STEPS = 60;

    /**
     * A round computes for a few seconds, and more where each rule is checked. A process that has had the processor for so long
     * is told of as one that hangs. Its own time counts: a machine that is busy with something else makes no difference.
     */
    private const SECONDS_OF_PROCESSOR = 120;

    /**
     * So does one that has computed nothing for so long, and would not have if it could. What parks a request does not hang:
     * its time limit ends it before.
     */
    private const SECONDS_OF_SLEEP = 2 * self::REQUEST_SECONDS;
    private const REQUEST_SECONDS = 120;

    /** For the crash report of one that hung. */
    private const SECONDS_FOR_REPORT = 5;

    /** The status of a program that a signal has ended is this and the signal's number, as a shell says it. */
    private const KILLED = 128;

    /** That of timeout(1), and of a process that hung here. */
    private const TIMED_OUT = 124;

    /** For howdah-run, and for php-cli where it is asked in its place. */
    private const SETTINGS = ['memory_limit=96M', 'log_errors=0', 'phar.readonly=0'];

    /** @param list<string> $options of howdah-run */
    public function __construct(
        private readonly string $root,
        private readonly string $folder,
        private readonly string $mode,
        private readonly int $seed,
        private readonly array $options,
    ) {
    }

    /**
     * Null where each value was its own and nothing crashed; else a line that says what php-cli does not survive either. Throws
     * where a neighbour saw something foreign, or where a request took the process along that does not take php-cli along.
     */
    public function run(): ?string
    {
        mkdir($this->folder);
        $names = $this->output([...$this->command(1), __DIR__ . '/names.php'], 'names.json');
        if ($names !== 0) {
            throw new Fault("the functions cannot be listed: {$this->said()}");
        }
        $status = $this->output([
            ...$this->command(16),
            "--mode={$this->mode}",
            '--at-once=16',
            '--requests=' . self::REQUESTS,
            // What a request leaves in its realm is not its neighbours', but the next one's.
            '--max-requests=1',
            '--request-timeout=' . 1000 * self::REQUEST_SECONDS,
            '--method=POST',
            '--path=/calls.php',
            "--query=id=r%d&kind=form&seed={$this->seed}&folder={$this->folder}&calls=" . self::CALLS . '&steps=' . self::STEPS,
            '--cookie=probe_in=cookie.r%d',
            '--header=HTTP_X_PROBE=header.r%d',
            '--header=HTTP_ACCEPT_ENCODING=gzip',
            '--content-type=application/x-www-form-urlencoded',
            '--body=field=field.r%d',
            __DIR__ . ($this->mode === 'worker' ? '/worker.php' : '/realm.php'),
        ], 'out');
        if ($status !== 0) {
            return $this->triage($status);
        }
        $this->compare();

        return null;
    }

    /** @return list<string> */
    private function command(int $realms): array
    {
        $settings = [...self::SETTINGS, 'display_errors=0', 'ffi.enable=1', 'open_basedir='];
        $given = array_map(static fn (string $setting): string => "--ini=$setting", $settings);

        return [
            "{$this->root}/build/howdah-run", "--realms=$realms", "--chaos={$this->seed}", ...$given, ...$this->options,
        ];
    }

    private function compare(): void
    {
        $walks = 0;
        preg_match_all('/^\{"walk":"(r\d+)","ok":(true|false).*$/m', (string) file_get_contents("{$this->folder}/out"), $lines);
        foreach ($lines[2] as $i => $ok) {
            ++$walks;
            if ($ok === 'false') {
                throw new Fault("{$lines[1][$i]} found a foreign value: {$lines[0][$i]}");
            }
        }
        if ($walks !== self::REQUESTS / 2) {
            throw new Fault("$walks of " . self::REQUESTS / 2 . " that look told what they found: {$this->said()}");
        }
    }

    /** The requests that the crash report names as running are made again under php-cli: what ends that, too, is PHP's own fault. */
    private function triage(int $status): string
    {
        $said = $this->said();
        preg_match_all('/realm \d+ (?:ran|waited in).*?[?&]id=r(\d+)&/', $said, $running);
        $suspects = array_unique(array_filter($running[1], static fn (string $id): bool => (int) $id % 2 === 0));
        foreach ($suspects as $id) {
            mkdir($alone = "{$this->folder}/alone-$id");
            $settings = array_map(static fn (string $setting): string => "-d$setting", self::SETTINGS);
            $request = ["{$this->folder}/names.json", "{$this->seed}.r$id", $alone, (string) self::CALLS];
            $cli = $this->output([PHP_BINARY, ...$settings, __DIR__ . '/alone.php', ...$request], "cli-$id");
            if ($cli > self::KILLED || $cli === self::TIMED_OUT) {
                $last = trim((string) strrchr("\n" . trim($this->said()), "\n"));

                return "request r$id ended the process with $status, and php-cli with $cli in $last(): PHP's own";
            }
        }
        $how = $status === self::TIMED_OUT ? ' (it hung)' : '';
        $who = $suspects === [] ? 'no request that it named' : 'requests ' . implode(', ', $suspects);
        throw new Fault("howdah-run ended with $status$how, and php-cli survives what $who called:\n$said");
    }

    /**
     * @param  list<string> $command
     * @return int exit status; TIMED_OUT when it hung, and was told to say where it is by SIGSEGV
     */
    private function output(array $command, string $file): int
    {
        $process = proc_open(
            $command,
            [['file', '/dev/null', 'r'], ['file', "{$this->folder}/$file", 'w'], ['file', "{$this->folder}/err", 'w']],
            $pipes,
        );
        if ($process === false) {
            throw new Fault("$command[0] cannot be started");
        }
        $progress = new Progress(proc_get_status($process)['pid'], self::SECONDS_OF_PROCESSOR, self::SECONDS_OF_SLEEP);
        $hangs = false;
        while (($state = proc_get_status($process))['running']) {
            if ($hangs || $progress->isOver()) {
                proc_terminate($process, $hangs ? SIGKILL : SIGSEGV);
                $hangs = true;
                sleep(self::SECONDS_FOR_REPORT);
            }
            usleep(20_000);
        }

        return match (true) {
            $hangs => self::TIMED_OUT,
            $state['signaled'] => self::KILLED + $state['termsig'],
            default => $state['exitcode'],
        };
    }

    private function said(): string
    {
        return substr((string) file_get_contents("{$this->folder}/err"), -6000);
    }
}
