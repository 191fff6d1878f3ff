<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use RuntimeException;

/** The sanitized module, in the sanitized nginx where Debian's source could be had (`make sanitized`). */
final class Sanitized
{
    private const BUILD = __DIR__ . '/../../build/sanitized';

    /** From now on this process's tests and commands start it. */
    public static function choose(): void
    {
        $build = realpath(self::BUILD);
        if ($build === false || !is_file("$build/ngx_http_howdah_module.so")) {
            throw new RuntimeException('the sanitized module is missing: make sanitized');
        }
        putenv("HOWDAH_BUILD=$build");
        putenv("PATH=$build/bin:" . getenv('PATH'));
    }

    public static function hasNginx(): bool
    {
        return is_file(self::BUILD . '/bin/nginx');
    }

    /**
     * What an nginx that is not sanitized needs beside it.
     *
     * @return array<string, string>
     */
    public static function environment(): array
    {
        if (self::hasNginx()) {
            return [];
        }
        $runtime = trim((string) shell_exec('gcc -print-file-name=libasan.so'));

        return [
            'LD_PRELOAD' => realpath(self::BUILD) . "/preload.so $runtime",
            'ASAN_OPTIONS' => 'detect_leaks=0:detect_odr_violation=0:verify_asan_link_order=0:abort_on_error=1'
                . ':quarantine_size_mb=4:thread_local_quarantine_size_kb=256',
            'UBSAN_OPTIONS' => 'print_stacktrace=1:halt_on_error=1:abort_on_error=1',
        ];
    }
}
