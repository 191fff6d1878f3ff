<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** A program that is run to its end, for its output. */
final readonly class Program
{
    private const LONGEST_PAUSE_US = 10_000;

    private function __construct(
        public int $status,
        public string $output,
        public string $errors,
    ) {
    }

    /**
     * @param list<string> $command the program's path and its arguments; no shell is involved
     * @param string|null  $folder  where it runs
     */
    public static function run(array $command, ?string $folder = null): self
    {
        // Files, not pipes: a program that fills one while we read the other would wait for ever.
        RuntimeFolder::assertRoom();
        $output = NamelessFile::open();
        $errors = NamelessFile::open();
        if ($output === null || $errors === null) {
            throw new Failure('cannot make a file in the temporary folder ' . sys_get_temp_dir() . ': set TMPDIR to another');
        }
        $process = @proc_open($command, [['file', '/dev/null', 'r'], $output, $errors], $pipes, $folder);
        if ($process === false) {
            return new self(127, '', "$command[0] cannot be run");
        }
        $status = self::await($process);
        proc_close($process);

        return new self($status, self::contents($output), self::contents($errors));
    }

    /**
     * proc_close() would be deaf to signals until the program ends.
     *
     * @param  resource $process
     * @return int      its exit status; -1: a signal has ended it
     */
    private static function await($process): int
    {
        $pause = 200;
        while (($state = proc_get_status($process))['running']) {
            usleep($pause);
            $pause = min(2 * $pause, self::LONGEST_PAUSE_US);
        }

        return $state['signaled'] ? -1 : $state['exitcode'];
    }

    /** The path of a program, looked for in PATH and where system programs are. */
    public static function find(string $name): ?string
    {
        $folders = explode(':', getenv('PATH') ?: '');
        foreach ([...$folders, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'] as $folder) {
            $path = "$folder/$name";
            if ($folder !== '' && $folder[0] === '/' && is_file($path) && is_executable($path)) {
                return $path;
            }
        }

        return null;
    }

    /** @param resource $file */
    private static function contents($file): string
    {
        rewind($file);

        return trim((string) stream_get_contents($file));
    }
}
