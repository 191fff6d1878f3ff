<?php

/**
 * What ext/standard keeps about streams: wrappers, filters, the default context, the default directory handle.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;
use php_user_filter;

/**
 * probeN://anything reads as its own URL.
 */
final class EchoStream
{
    /** @var resource|null set by PHP */
    public $context;

    private string $rest = '';

    public function stream_open(string $path): bool
    {
        $this->rest = $path;

        return true;
    }

    public function stream_read(int $count): string
    {
        $chunk = substr($this->rest, 0, $count);
        $this->rest = substr($this->rest, $count);

        return $chunk;
    }

    public function stream_eof(): bool
    {
        return $this->rest === '';
    }

    /**
     * @return array<string, int>
     */
    public function stream_stat(): array
    {
        return [];
    }
}

/**
 * Passes everything on under its own name in brackets.
 */
final class NamingFilter extends php_user_filter
{
    /**
     * @param resource $in
     * @param resource $out
     * @param int $consumed
     */
    public function filter($in, $out, &$consumed, bool $closing): int
    {
        while ($bucket = stream_bucket_make_writeable($in)) {
            assert(is_int($bucket->datalen) && is_string($bucket->data));
            $consumed += $bucket->datalen;
            $bucket->data = "{$this->filtername}({$bucket->data})";
            stream_bucket_append($out, $bucket);
        }

        return PSFS_PASS_ON;
    }
}

/**
 * @phpstan-import-type Check from Checks
 */
final class StreamChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        return [
            'stream wrapper' => $this->wrapper(),
            'stream filter' => $this->filter(),
            'default context' => $this->context(),
            'default directory' => $this->directory(),
        ];
    }

    /** @return Check */
    private function wrapper(): Generator
    {
        $name = 'probe' . $this->probe->id;
        stream_wrapper_register($name, EchoStream::class);
        yield static fn (): array => [
            'registered' => [[$name], array_values(preg_grep('/^probe/', stream_get_wrappers()) ?: [])],
            'in use' => ["{$name}://x", file_get_contents("{$name}://x")],
        ];
        stream_wrapper_unregister($name);
    }

    /** @return Check */
    private function filter(): Generator
    {
        $name = Declared::name($this->probe, 'probe.');
        $expected = isset(Declared::$values[$name]);
        $existed = in_array($name, stream_get_filters(), true);
        if (!$existed) {
            Declared::$values[$name] = $name;
            stream_filter_register($name, NamingFilter::class);
        }
        $file = fopen('php://memory', 'w+');
        if ($file === false) {
            return;
        }
        stream_filter_append($file, $name, STREAM_FILTER_WRITE);
        $written = '';
        yield function () use ($name, $expected, $existed, $file, &$written): array {
            fwrite($file, $this->probe->mark('filter'));
            $written .= "{$name}({$this->probe->mark('filter')})";
            rewind($file);

            return ['existed' => [$expected, $existed], 'in use' => [$written, stream_get_contents($file)]];
        };
    }

    /** @return Check */
    private function context(): Generator
    {
        $options = ['http' => ['user_agent' => $this->probe->mark('context')]];
        stream_context_set_default($options);
        yield static fn (): array => [
            'options' => [$options['http'], stream_context_get_options(stream_context_get_default())['http'] ?? null],
        ];
    }

    /** @return Check */
    private function directory(): Generator
    {
        // readdir() without a handle reads the directory that was opened last. PHP 8.5 says that it should have one.
        $path = $this->probe->choose('directory', [__DIR__, '/', '/usr']);
        $expected = scandir($path);
        opendir($path);
        yield static function () use ($expected): array {
            $names = Probe::quietly(static function (): array {
                rewinddir();
                $names = [];
                while (($name = readdir()) !== false) {
                    $names[] = $name;
                }

                return $names;
            });
            sort($names);

            return ['entries' => [$expected, $names]];
        };
        Probe::quietly(closedir(...));
    }
}
