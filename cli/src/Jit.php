<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** What --jit means in php.ini's words (docs/jit.md). */
final readonly class Jit
{
    /** Of opcache's shared memory, once for all workers: as PHP 8.4 has it. */
    private const MEMORY = 'opcache.jit_buffer_size=64M';

    /** Those kinds that lose no variables when a request is interrupted to let another one run. */
    private const KINDS = [
        'tracing' => PHP_VERSION_ID < 80400 ? 'tracing' : '1054',
        'function' => '1035',
    ];

    /** @return list<string> */
    public static function names(): array
    {
        return ['off', ...array_keys(self::KINDS)];
    }

    /** @return list<string> none where nothing is said: php.ini decides */
    public static function settings(?string $kind): array
    {
        if ($kind === null || $kind === 'off') {
            return $kind === null ? [] : ['opcache.jit=disable'];
        }
        if (!isset(self::KINDS[$kind])) {
            throw new Failure("--jit=$kind is unknown: give off, tracing or function");
        }

        return ['opcache.jit=' . self::KINDS[$kind], self::MEMORY];
    }
}
