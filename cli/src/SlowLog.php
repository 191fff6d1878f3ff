<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** Which requests are slow, and where they are written, with PHP's backtrace. */
final readonly class SlowLog
{
    private const TIME = 'slow';
    private const FILE = 'slow-log';

    /**
     * @param string      $time as nginx reads it
     * @param string|null $file null: standard error
     */
    private function __construct(private string $time, private ?string $file)
    {
    }

    public static function define(Command $command): void
    {
        $command->addOption(self::TIME, null, InputOption::VALUE_REQUIRED, 'Log requests that PHP serves for longer, say'
            . ' 2s or 500ms, with their backtrace and what they wait for')
            ->addOption(self::FILE, null, InputOption::VALUE_REQUIRED, 'With --slow: to this file (default: standard error)');
    }

    /**
     * Null: there is none.
     *
     * @param string|null $user that workers run as, where it is another one than root: nginx gives it the file, by its name
     */
    public static function fromInput(InputInterface $input, ?string $user = null): ?self
    {
        [$time, $file] = array_map(static function (string $name) use ($input): ?string {
            $value = $input->hasOption($name) ? $input->getOption($name) : null;

            return is_string($value) ? $value : null;
        }, [self::TIME, self::FILE]);
        if ($time === null && $file !== null) {
            throw new Failure("--slow-log=$file: say how long a slow request takes, as in --slow=2s");
        }
        if ($time === null) {
            return null;
        }
        if (preg_match('/^(\d{1,6})(ms|s|m)?$/D', $time, $found) !== 1 || (int) $found[1] === 0) {
            throw new Failure("--slow=$time is no time: give seconds, or a number with ms, s or m, as in --slow=500ms");
        }

        return new self($found[1] . ($found[2] ?? 's'), $file === null ? null : self::path($file, $user));
    }

    /** nginx works in another folder. Its master opens the file, so as the user of this command. */
    private static function path(string $file, ?string $user): string
    {
        $path = str_starts_with($file, '/') ? $file : getcwd() . "/$file";
        if (!is_dir(dirname($path))) {
            throw new Failure("--slow-log=$file: there is no folder " . dirname($path) . ': make it, or name another');
        }
        if ($user !== null) {
            $place = new Place(dirname($path));
            $place->assertRoots("--slow-log=$file, --user=$user", false, 'name one in a folder of root\'s, as in /var/log');
            $path = rtrim($place->path, '/') . '/' . basename($path);
        }
        if (is_dir($path) || str_contains($path, '$')) {
            throw new Failure("--slow-log=$file is no file that nginx can write: name one, without a dollar sign");
        }
        if (self::isDeadPipe($path)) {
            throw new Failure("--slow-log=$file is a pipe that nobody reads, so nginx would not start: start its reader first");
        }

        return $path;
    }

    /** Who opens it waits for its reader. */
    private static function isDeadPipe(string $path): bool
    {
        return file_exists($path) && filetype($path) === 'fifo' && @fopen($path, 'an') === false;
    }

    /** @return list<string> of nginx's http block */
    public function lines(): array
    {
        return [
            "howdah_slow {$this->time};",
            'howdah_slow_log ' . ($this->file === null ? 'stderr' : NginxString::literal($this->file)) . ';',
        ];
    }
}
