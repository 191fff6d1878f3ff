<?php

declare(strict_types=1);

namespace Howdah\Laravel;

/** The `howdah` command of this machine: found, started as a server, asked about one. Knows nothing of Laravel. */
final readonly class HowdahCommand
{
    /** Where Debian's package, `make install` and the image put it, for a PATH that lacks them (cron, systemd). */
    private const FOLDERS = ['/usr/local/bin', '/usr/bin'];

    /** @param string $binary a path, or a name that PATH leads to */
    public function __construct(private string $binary)
    {
    }

    /** An absolute path. */
    public function path(): string
    {
        $folders = [...explode(PATH_SEPARATOR, (string) getenv('PATH')), ...self::FOLDERS];
        $candidates = str_contains($this->binary, '/')
            ? [$this->binary]
            : array_map(fn (string $folder): string => "$folder/{$this->binary}", array_filter($folders));
        foreach ($candidates as $candidate) {
            $path = realpath($candidate);
            if ($path !== false && is_file($path) && is_executable($path)) {
                return $path;
            }
        }
        throw new HowdahFailure("the howdah command is not here ({$this->binary}): install Howdah, or set HOWDAH_BINARY in .env"
            . ' to its path');
    }

    /**
     * A server, in a session of its own: Ctrl-C reaches whoever started it, who then stops the server once. The kernel stops it
     * when that process dies without a word.
     *
     * @param list<string>          $arguments   of `howdah serve`
     * @param array<string, string> $environment over this process's own
     */
    public function serve(array $arguments, array $environment = []): ServerProcess
    {
        return new ServerProcess(
            ['setsid', 'setpriv', '--pdeathsig', 'TERM', $this->path(), 'serve', ...$arguments],
            $environment + getenv(),
        );
    }

    /** Whether `howdah serve` of this machine has an option: versions differ. */
    public function hasOption(string $name): bool
    {
        $help = (string) shell_exec(escapeshellarg($this->path()) . ' serve --help --no-ansi 2>/dev/null');

        return preg_match('/^ .*' . preg_quote($name, '/') . '(?=[\s=\[])/m', $help) === 1;
    }

    /** The folder that a running server was told to serve, links on the way to it included. Null: it does not run. */
    public static function served(int $pid): ?string
    {
        $words = explode("\0", rtrim((string) @file_get_contents("/proc/$pid/cmdline"), "\0"));
        $serve = array_search('serve', $words, true);
        $isHowdah = preg_grep('~(?:^|/)howdah$~', array_slice($words, 0, (int) $serve)) !== [];
        $folder = @readlink("/proc/$pid/cwd");
        if ($serve === false || !$isHowdah || $folder === false) {
            return null;
        }
        $isPath = static fn (string $word): bool => !str_starts_with($word, '-');
        $path = array_values(array_filter(array_slice($words, (int) $serve + 1), $isPath))[0] ?? '.';

        return str_starts_with($path, '/') ? $path : "$folder/$path";
    }

    /** New workers with new code. What becomes of it is in the server's log: where they do not boot, the old ones go on. */
    public static function reload(int $pid): void
    {
        self::signal($pid, SIGHUP);
    }

    /** Returns when the server has stopped: its requests have ended, or its --stop-timeout has. */
    public static function stop(int $pid): void
    {
        self::signal($pid, SIGTERM);
        while (self::served($pid) !== null) {
            usleep(50_000);
        }
    }

    private static function signal(int $pid, int $signal): void
    {
        if (!posix_kill($pid, $signal)) {
            throw new HowdahFailure("the server (process $pid) cannot be told: " . posix_strerror(posix_get_last_error()));
        }
    }
}
