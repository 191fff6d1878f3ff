<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** The PHP that serves requests: libphp, with its own php.ini, which need not be the PHP that runs this command. */
final readonly class PhpRuntime
{
    private const OLDEST = '8.2.0';

    private function __construct(
        public string $version,
        public ?string $ini,
        public ?string $opcache,
        public bool $opcacheEnabled,
        public bool $hasWorkerMode,
    ) {
    }

    /**
     * Starts the engine once, in a process of its own, and asks it.
     *
     * @param array<string, string> $ini
     */
    public static function probe(Installation $installation, array $ini = []): self
    {
        $command = [$installation->runner()];
        foreach ($ini as $key => $value) {
            $command[] = "--ini=$key=$value";
        }
        $answer = Program::run([...$command, $installation->probe()]);
        $told = json_decode($answer->output, true);
        if (!is_array($told) || !is_string($told['version'] ?? null)) {
            throw new Failure('PHP does not start: ' . self::complaint($answer, $installation));
        }
        $text = static fn (string $key): ?string => is_string($told[$key] ?? null) ? $told[$key] : null;

        return new self(
            $told['version'],
            $text('ini'),
            $text('opcache'),
            ($told['opcache_enabled'] ?? false) === true,
            ($told['worker'] ?? false) === true,
        );
    }

    /** What the runner said, on one line and without its prefixes. */
    private static function complaint(Program $answer, Installation $installation): string
    {
        $lines = preg_split('/\R/', $answer->errors ?: $answer->output, -1, PREG_SPLIT_NO_EMPTY) ?: [];
        $lines = preg_replace('/^(\[\w+\] )?(howdah(-run)?: )?/', '', $lines);

        return implode('; ', $lines)
            ?: "{$installation->runner()} ended with exit status {$answer->status} and said nothing;"
                . " {$installation->remedy()}";
    }

    public function assertServes(): void
    {
        if (version_compare($this->version, self::OLDEST, '<')) {
            throw new Failure("libphp is PHP {$this->version}, which is too old: Howdah needs " . self::OLDEST
                . ' or later: install libphp8.2-embed and rebuild Howdah');
        }
        if ($this->opcache === null) {
            throw new Failure("PHP {$this->version} has no opcache, through which realms share compiled code: "
                . "`apt-get install php{$this->series()}-opcache`, or enable it with `phpenmod opcache`");
        }
        if (!$this->opcacheEnabled) {
            throw new Failure('opcache is switched off, and through it realms share compiled code: set opcache.enable=1 in '
                . ($this->ini ?? 'php.ini') . ', or leave out --ini=opcache.enable=0');
        }
    }

    /** "8.2" */
    public function series(): string
    {
        return implode('.', array_slice(explode('.', $this->version), 0, 2));
    }

    /** A syntax error in the script would be every request's: better to know before anything listens. */
    public function assertCompiles(string $script): void
    {
        $php = $this->commandLine();
        if ($php === null) {
            return;
        }
        $lint = Program::run([$php, '-n', '-d', 'display_errors=stdout', '-d', 'log_errors=0', '-l', $script]);
        if ($lint->status === 0) {
            return;
        }
        $message = preg_match('/^(?:PHP )?(?:Parse|Fatal) error:\s+(?<text>.*)$/m', $lint->output, $match) === 1
            ? $match['text']
            : trim($lint->output . ' ' . $lint->errors);
        throw new Failure("$script does not compile: $message: correct it and start again");
    }

    /** A command-line PHP of the same series; another one would judge by another grammar. */
    private function commandLine(): ?string
    {
        $series = $this->series();

        return str_starts_with(PHP_VERSION, "$series.") ? PHP_BINARY : Program::find("php$series");
    }
}
