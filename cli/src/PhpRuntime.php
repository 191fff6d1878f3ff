<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** The PHP that serves requests: libphp, with its own php.ini, which need not be the PHP that runs this command. */
final readonly class PhpRuntime
{
    private const OLDEST = '8.2.0';

    /** The series that our tests run with. */
    public const TESTED = ['8.2', '8.4'];

    /**
     * @param list<string>           $scanned     the files of settings that PHP read beside php.ini
     * @param int|null               $opcacheKeys how many scripts opcache can hold; null where it does not tell
     * @param array<string, ?string> $extensions  versions by name, as loaded
     * @param list<string>           $warnings    what PHP and the engine complained of while they started
     */
    private function __construct(
        public string $version,
        public ?string $ini,
        public array $scanned,
        public ?string $opcache,
        public bool $opcacheEnabled,
        public ?int $opcacheKeys,
        public bool $hasWorkerMode,
        public array $extensions,
        public PhpSettings $settings,
        public array $warnings,
    ) {
    }

    /**
     * Starts the engine once, in a process of its own, and asks it.
     *
     * @param list<string> $arguments for howdah-run (ServeOptions::engineArguments())
     */
    public static function probe(Installation $installation, array $arguments = []): self
    {
        $answer = Program::run([$installation->runner(), ...$arguments, $installation->resource('probe.php')]);
        $lines = explode("\n", $answer->output);
        $told = json_decode(end($lines), true);
        if (!is_array($told) || !is_string($told['version'] ?? null)) {
            throw new Failure('PHP does not start: ' . (self::complaint($answer)
                ?: "{$installation->runner()} ended with exit status {$answer->status} and said nothing;"
                    . " {$installation->remedy()}"));
        }
        $text = static fn (string $key): ?string => is_string($told[$key] ?? null) ? $told[$key] : null;
        $extensions = [];
        foreach (is_array($told['extensions'] ?? null) ? $told['extensions'] : [] as $name => $version) {
            $extensions[(string) $name] = is_string($version) ? $version : null;
        }

        return new self(
            $told['version'],
            $text('ini'),
            preg_split('/,\s*/', $text('scanned') ?? '', -1, PREG_SPLIT_NO_EMPTY) ?: [],
            $text('opcache'),
            ($told['opcache_enabled'] ?? false) === true,
            is_int($told['opcache_keys'] ?? null) ? $told['opcache_keys'] : null,
            ($told['worker'] ?? false) === true,
            $extensions,
            new PhpSettings(is_array($told['settings'] ?? null) ? $told['settings'] : []),
            self::messages($answer->errors),
        );
    }

    /** Why it ended; warnings only where nothing else was said. */
    private static function complaint(Program $answer): string
    {
        $said = $answer->errors ?: $answer->output;
        $errors = (string) preg_replace('/^\[(warning|notice|debug)\] .*$/m', '', $said);

        return implode('; ', self::messages($errors) ?: self::messages($said));
    }

    /**
     * What was said, each once (PHP may both show and log it), without prefixes.
     *
     * @return list<string>
     */
    public static function messages(string $errors): array
    {
        $lines = preg_split('/\R/', $errors, -1, PREG_SPLIT_NO_EMPTY) ?: [];
        $lines = preg_replace('/^(\[\w+\] )?(howdah(-run)?: |PHP (?=\w+:))?/', '', $lines);

        return array_values(array_unique($lines));
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
            $setting = $this->settings->isOn('opcache.file_cache_only') ? 'opcache.file_cache_only=0' : 'opcache.enable=1';
            throw new Failure("opcache is switched off, and through it realms share compiled code: set $setting in "
                . ($this->ini ?? 'php.ini') . ', or leave out --ini=opcache....');
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
