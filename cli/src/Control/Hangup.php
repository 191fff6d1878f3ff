<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\Failure;

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
        $this->isIgnored = self::isIgnored();
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

    /**
     * Whoever starts us says so. PHP puts a handler of its own in the place of what was said, and obeys it there
     * (zend_signal_handler(), Zend/zend_signal.c, 8.2 and 8.4); the kernel knows of the handler alone. So a child tries.
     */
    private static function isIgnored(): bool
    {
        $child = pcntl_fork();
        if ($child === 0) {
            $self = (int) getmypid();
            pcntl_sigprocmask(SIG_UNBLOCK, [SIGHUP]);
            posix_kill($self, SIGHUP);
            posix_kill($self, SIGKILL);
        }
        if ($child < 0) {
            throw new Failure('no process can be started: no process or memory is left on this machine');
        }
        pcntl_waitpid($child, $status);
        assert(is_int($status));

        return pcntl_wtermsig($status) === SIGKILL;
    }
}
