<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use RuntimeException;

/** Ctrl-C, as an exception: whatever was started is ended on the way out. */
final class Interruption extends RuntimeException
{
    private const SIGNALS = [SIGINT, SIGTERM, SIGHUP];

    public static function onSignals(): void
    {
        pcntl_async_signals(true);
        foreach (self::SIGNALS as $signal) {
            pcntl_signal($signal, static function (int $signal): void {
                // A second one must not interrupt the ending.
                foreach (self::SIGNALS as $one) {
                    pcntl_signal($one, SIG_IGN);
                }
                throw new self('interrupted', 128 + $signal);
            });
        }
    }
}
