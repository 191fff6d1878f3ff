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
        $this->isIgnored = $this->hadTerminal && self::isIgnored();
    }

    public function meaning(): HangupMeaning
    {
        if (!$this->hadTerminal || self::hasTerminal()) {
            return HangupMeaning::Reload;
        }

        return $this->isIgnored ? HangupMeaning::Nothing : HangupMeaning::Stop;
    }

    /**
     * Who starts us says it so. PHP has handlers of its own for some signals, which do what was asked for before, and tell
     * nobody what that is (zend_signal_register(), Zend/zend_signal.c, 8.2): a child finds out.
     */
    private static function isIgnored(): bool
    {
        $child = pcntl_fork();
        if ($child === 0) {
            pcntl_sigprocmask(SIG_UNBLOCK, [SIGHUP]);
            posix_kill((int) getmypid(), SIGHUP);
            // Nothing of this process shall end with it: no function that runs at its end, no file that is removed.
            posix_kill((int) getmypid(), SIGKILL);
        }

        return $child > 0 && pcntl_waitpid($child, $status) === $child
            && is_int($status) && pcntl_wtermsig($status) === SIGKILL;
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
