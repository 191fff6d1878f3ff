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

    /** @var array<int, true> what this realm has included */
    private static array $included = [];

    /** PHP allows opcache to be turned off for a request, but not on again. */
    private static bool $off = false;

    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return ['include_once' => $this->once()]
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
            $own = preg_grep('~/howdah-included-\d+/~', get_included_files()) ?: [];

            return [
                'returned' => [$expected, $got],
                'again' => [$number, include $file],
                'all' => [count(self::$included), count($own)],
            ];
        };
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
