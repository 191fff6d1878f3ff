<?php

/**
 * Files that are included, and what opcache remembers of them for the request.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class IncludeChecks implements Checks
{
    private const FILES = 256;
    private const FOLDERS = 16;

    /** So many include paths of each folder. */
    private const TURNS = 64;

    /** @var array<int, true> what this realm has included */
    private static array $included = [];

    /** PHP allows opcache to be turned off for a request, but not on again. */
    private static bool $off = false;

    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return ['include_once' => $this->once(), 'include path' => $this->path()]
            + (function_exists('opcache_get_configuration') ? [
                'opcache settings' => $this->settings(),
                'opcache off' => $this->off(),
            ] : []);
    }

    /**
     * Files that return their own number, which all runs share: opcache keeps no file that is younger than two seconds.
     */
    private static function file(int $number): string
    {
        static $folder = null;
        if (!is_string($folder)) {
            $folder = sys_get_temp_dir() . '/howdah-included-' . posix_geteuid();
            Probe::quietly(static fn () => is_dir($folder) || mkdir($folder, 0o755));
        }
        $file = "{$folder}/{$number}.php";
        if (!is_file($file)) {
            $new = (string) tempnam($folder, 'new');
            file_put_contents($new, "<?php\n\nreturn {$number};\n");
            touch($new, time() - 60);
            rename($new, $file);
        }

        return $file;
    }

    /** @return Check */
    private function once(): Generator
    {
        $number = $this->probe->number('include', self::FILES);
        yield static function () use (&$number): array {
            $number = ($number + 1) % self::FILES;
            $file = self::file($number);
            $expected = isset(self::$included[$number]) ? true : $number;
            self::$included[$number] = true;
            $got = include_once $file;
            $own = preg_grep('~/howdah-included-\d+/\d~', get_included_files()) ?: [];

            return [
                'returned' => [$expected, $got],
                'again' => [$number, include $file],
                'all' => [count(self::$included), count($own)],
            ];
        };
    }

    /**
     * Files of one name in several folders. A folder that is not there makes it an include path that opcache has not seen yet.
     *
     * @return Check
     */
    private function path(): Generator
    {
        $number = $this->probe->number('folder', self::FOLDERS);
        $turn = 0;
        yield static function () use ($number, &$turn): array {
            $new = $number * self::TURNS + $turn++ % self::TURNS;
            $before = set_include_path("/nowhere/{$new}" . PATH_SEPARATOR . self::folder($number));
            $got = self::twice('howdah-named.php');
            set_include_path((string) $before);

            return ['in the folder' => [$number, $got]];
        };
    }

    /** opcache remembers a file's name when it has looked for it. */
    private static function twice(string $name): mixed
    {
        include_once $name;

        return include $name;
    }

    /** With a file that returns its number. */
    private static function folder(int $number): string
    {
        $folder = dirname(self::file($number)) . "/in-{$number}";
        Probe::quietly(static fn () => is_dir($folder) || mkdir($folder, 0o755));
        if (!is_file("{$folder}/howdah-named.php")) {
            $new = (string) tempnam($folder, 'new');
            file_put_contents($new, "<?php\n\nreturn {$number};\n");
            touch($new, time() - 60);
            rename($new, "{$folder}/howdah-named.php");
        }

        return $folder;
    }

    /** @return Check */
    private function settings(): Generator
    {
        $seconds = 2 + $this->probe->number('freq', 1000);
        $before = (string) ini_set('opcache.revalidate_freq', (string) $seconds);
        yield static fn (): array => [
            'revalidate_freq' => [$seconds, self::directive('opcache.revalidate_freq')],
        ];
        ini_set('opcache.revalidate_freq', $before);
    }

    /** @return Check */
    private function off(): Generator
    {
        if ($this->probe->number('off', 20) === 0 && !self::$off) {
            self::$off = true;
            ini_set('opcache.enable', '0');
        }
        yield static fn (): array => [
            'setting' => [!self::$off, self::directive('opcache.enable')],
            'status' => [!self::$off, opcache_get_status(false)['opcache_enabled'] ?? null],
        ];
    }

    /**
     * What opcache works with, not what was set.
     */
    private static function directive(string $name): mixed
    {
        $configuration = opcache_get_configuration();
        $directives = is_array($configuration) ? (array) $configuration['directives'] : [];

        return $directives[$name] ?? null;
    }
}
