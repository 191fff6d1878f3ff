<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

/**
 * What SIGHUP says to a command that serves. A terminal that is closed sends it, as does who wants a reload: a server without
 * its terminal would go on for ever, and nobody would know. Whoever starts it with `nohup` wants just that.
 */
final readonly class Hangup
{
    private bool $hadTerminal;
    private bool $isIgnored;

    public function __construct()
    {
        $this->hadTerminal = self::hasTerminal();
        // Who starts us says it so, and it stays: what is blocked is kept although it is ignored (sig_ignored(), Linux).
        $status = (string) @file_get_contents('/proc/self/status');
        $isFound = preg_match('/^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m', $status, $match) === 1;
        $this->isIgnored = $isFound && (hexdec($match[1]) & 1) !== 0;
    }

    public function meaning(): HangupMeaning
    {
        if (!$this->hadTerminal || self::hasTerminal()) {
            return HangupMeaning::Reload;
        }

        return $this->isIgnored ? HangupMeaning::Nothing : HangupMeaning::Stop;
    }

    /** The device is there for everybody, and opens only for those who have a terminal (tty(4)). */
    private static function hasTerminal(): bool
    {
        $terminal = @fopen('/dev/tty', 'r');
        if ($terminal === false) {
            return false;
        }
        fclose($terminal);

        return true;
    }
}
