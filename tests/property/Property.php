<?php

/**
 * Runs the walks of many requests at once in one process.
 */

declare(strict_types=1);

namespace Howdah\Tests\Property;

use Howdah\Tests\Engine\Runner;

final class Property
{
    /** What every mode needs to be checked in full: each of these turns extensions' own protection off. */
    private const SETTINGS = ['ffi.enable=1', 'phar.readonly=0'];

    /**
     * @param int $steps of each request
     * @param list<string> $options more of howdah-run
     * @param int $limit seconds after which it hangs, and the test is late (beside other suites ten may take minutes)
     * @param list<string> $prefix a program that runs the runner
     * @param string $query more of it: see realm.php
     */
    public static function run(
        string $mode,
        int $requests,
        int $steps,
        int $seed,
        array $options = [],
        int $limit = 900,
        array $prefix = [],
        string $query = '',
    ): Runner {
        return Runner::run(
            __DIR__ . ($mode === 'worker' ? '/worker.php' : '/realm.php'),
            [
                "--mode={$mode}",
                '--realms=16',
                '--at-once=16',
                "--requests={$requests}",
                '--method=POST',
                '--path=/walk.php',
                "--query=id=r%d&kind=form&seed={$seed}&steps={$steps}{$query}",
                '--cookie=probe_in=cookie.r%d',
                '--header=HTTP_X_PROBE=header.r%d',
                '--header=HTTP_ACCEPT_ENCODING=gzip',
                '--content-type=application/x-www-form-urlencoded',
                '--body=field=field.r%d',
                '--expect-part="ok":true',
                ...array_map(static fn (string $setting): string => "--ini={$setting}", self::SETTINGS),
                ...$options,
            ],
            $prefix,
            limit: $limit,
        );
    }
}
