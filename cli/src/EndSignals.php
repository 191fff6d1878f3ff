<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Closure;

/**
 * Signals that would end this process at once: what is to be done before. Who blocks them and asks for them (Server), or has a
 * handler already, is not concerned. SIGHUP is left: whoever starts us may want it ignored (nohup), of which PHP does not tell
 * (Control/Hangup).
 */
final class EndSignals
{
    private const SIGNALS = [SIGINT, SIGTERM, SIGQUIT];

    /** @var array<string, Closure(): void> by the name of what they are about */
    private static array $acts = [];

    /** @var list<int> signals that have our handler: as long as there is something to do */
    private static array $taken = [];

    /** @param Closure(): void $act */
    public static function before(string $name, Closure $act): void
    {
        self::$acts[$name] = $act;
        pcntl_async_signals(true);
        foreach (self::SIGNALS as $signal) {
            if (pcntl_signal_get_handler($signal) === SIG_DFL && pcntl_signal($signal, self::end(...))) {
                self::$taken[] = $signal;
            }
        }
    }

    public static function forget(string $name): void
    {
        unset(self::$acts[$name]);
        foreach (self::$acts === [] ? self::$taken : [] as $signal) {
            pcntl_signal($signal, SIG_DFL);
        }
        self::$taken = self::$acts === [] ? [] : self::$taken;
    }

    private static function end(int $signal): void
    {
        foreach (self::$acts as $act) {
            $act();
        }
        pcntl_signal($signal, SIG_DFL);
        posix_kill((int) getmypid(), $signal);
    }
}
