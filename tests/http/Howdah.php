<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use RuntimeException;

/** The `howdah` command, run to its end. */
final readonly class Howdah
{
    /**
     * Before a command that runs on beside the test: PHP leaves whatever it has open to a child. Nobody would ever see a
     * terminal or a door closed that the child has, too.
     */
    public const ALONE = [
        'bash',
        '-c',
        'for fd in /proc/self/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && eval "exec $fd>&-"; done; exec "$@"',
        'bash',
    ];

    private function __construct(
        public int $status,
        public string $output,
        public string $errors,
    ) {
    }

    /**
     * @param list<string>          $arguments
     * @param array<string, string> $environment over ours
     * @param string|null           $limit       of the shell that starts it, as "-n 20"
     */
    public static function run(array $arguments, array $environment = [], ?string $limit = null): self
    {
        $command = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', '--no-ansi', ...$arguments];
        if ($limit !== null) {
            $command = ['sh', '-c', "ulimit $limit && exec \"\$@\"", 'sh', ...$command];
        }
        $files = [tmpfile(), tmpfile()];
        $process = proc_open(
            $command,
            [['file', '/dev/null', 'r'], $files[0], $files[1]],
            $pipes,
            null,
            $environment + ['COLUMNS' => '400'] + getenv(),
        );
        if ($process === false || $files[0] === false || $files[1] === false) {
            throw new RuntimeException('howdah cannot be started');
        }
        $status = proc_close($process);
        [$output, $errors] = array_map(static function ($file): string {
            rewind($file);

            return (string) stream_get_contents($file);
        }, $files);

        return new self($status, $output, $errors);
    }

    /** @return array<array-key, mixed> */
    public function json(): array
    {
        $value = json_decode($this->output, true);

        return is_array($value) ? $value : throw new RuntimeException("no JSON: $this->output$this->errors");
    }
}
