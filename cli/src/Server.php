<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Closure;
use Howdah\Cli\Control\Hangup;
use Howdah\Cli\Control\HangupMeaning;
use Howdah\Cli\Control\Master;
use Howdah\Cli\Control\Operation;
use Howdah\Cli\Control\Orphans;
use Howdah\Cli\Control\PassedSocket;
use Howdah\Cli\Control\Reload;
use Howdah\Cli\Control\ServiceManager;
use Howdah\Cli\Development\Development;

/**
 * nginx in the foreground, supervised: started, waited for, told to drain, and made to end.
 *
 * Invariants:
 *   1. nginx is a session of its own: a terminal's Ctrl-C reaches this process only, which then lets nginx drain.
 *   2. nginx dies when this process dies, however that happens (its parent-death signal is SIGTERM).
 *   3. When run() returns or throws, no process of nginx is left.
 */
final class Server
{
    /** How long nginx, PHP and a preloaded application may take until there are workers. */
    private const START_SECONDS = 60;

    /** An application that boots for longer is told of, and so are workers that do not answer. */
    private const BOOT_SECONDS = 5;

    private const FAILING = 'NOT serving: the application does not boot, the log above tells why; until it does requests are'
        . ' answered with an error, and each lets it try again; Ctrl-C stops';

    /** After SIGTERM nginx's workers are killed rather than waited for. */
    private const KILL_SECONDS = 5;

    /** Signals that come together are one wish to stop. */
    private const ONE_STOP_NANOSECONDS = 500_000_000;

    private const STOP_SIGNALS = [SIGINT, SIGTERM, SIGQUIT];

    /** @var resource|null */
    private $process = null;

    /** @var resource|null passes the access log on, where nginx cannot write it itself */
    private $cat = null;
    private int $pid = 0;
    private ?int $status = null;

    /** What a worker said of itself when it was asked last: $howdah_ready. */
    private ?string $state = null;

    /** Null: nothing is reloaded, and SIGHUP stops. */
    private ?Operation $operation = null;
    private bool $reloadIsAsked = false;
    private bool $filesHaveChanged = false;
    private readonly Hangup $hangup;
    private readonly ServiceManager $manager;

    /**
     * @param Closure(string): void $tell prints a line for the user
     * @param string|null           $log  file for what nginx and PHP log; null: standard output and standard error
     */
    public function __construct(
        private readonly Preparation $preparation,
        private readonly RuntimeFolder $folder,
        private readonly int $stopTimeout,
        private readonly Closure $tell,
        private readonly ?string $log = null,
        private readonly ?Development $development = null,
    ) {
        $this->hangup = new Hangup();
        $this->manager = new ServiceManager();
    }

    /**
     * Serves until a signal asks to stop. Returns the exit status of the command.
     *
     * @param Closure(): string $announce what is served now, for the user
     */
    public function run(Closure $announce, Operation $operation): int
    {
        $this->operation = $operation;

        return $this->during(function () use ($announce, $operation): void {
            $this->watch($announce, $operation);
        });
    }

    /**
     * Serves as long as the work takes, also where the application does not boot. Returns the exit status of the command.
     *
     * @param Closure(Closure(): bool): void $work is told how to ask whether it must end before it is done: a signal asks for
     *                                             it, or nginx has gone
     */
    public function during(Closure $work): int
    {
        // Blocked, and taken one at a time by stopRequested(): none is lost between two looks. nginx unblocks them for itself.
        pcntl_sigprocmask(SIG_BLOCK, $this->signals());
        try {
            $this->start();
            $this->state = $this->awaitWorker();
            if ($this->state !== null) {
                $work(fn (): bool => $this->stopRequested(0.0) || !$this->isRunning());
            }

            return $this->stop();
        } finally {
            $this->kill();
        }
    }

    public static function assertTools(): void
    {
        self::tools();
    }

    /** @return array{string, string} setsid, setpriv */
    private static function tools(): array
    {
        $setsid = Program::find('setsid');
        $setpriv = Program::find('setpriv');

        return $setsid !== null && $setpriv !== null
            ? [$setsid, $setpriv]
            : throw new Failure('setsid and setpriv are missing: `apt-get install util-linux`');
    }

    private function start(): void
    {
        [$setsid, $setpriv] = self::tools();
        $nginx = $this->preparation->nginx;
        $log = $this->log === null ? null : @fopen($this->log, 'a');
        if ($log === false) {
            throw new Failure("cannot write the log {$this->log}: name another file");
        }
        $output = $log ?? $this->standardOutput($setsid);
        $process = proc_open(
            [$setsid, $setpriv, '--pdeathsig', 'TERM', $nginx->path, ...$nginx->start($this->folder)],
            [['file', '/dev/null', 'r'], $output, $log ?? STDERR],
            $pipes,
            $this->folder->path,
            PassedSocket::environment(),
        );
        if ($output !== STDOUT) {
            // Nginx has it now, and its end is the end of what `cat` reads.
            fclose($output);
        }
        if ($process === false) {
            throw new Failure("{$nginx->path} cannot be started: no process or memory is left on this machine");
        }
        $this->process = $process;
        $this->pid = proc_get_status($process)['pid'];
    }

    /**
     * nginx opens /dev/stdout for its access log. That cannot be done where standard output is a socket (systemd) or belongs to
     * another user, and in a file the lines would overwrite those of standard error (`>log 2>&1`): each has a position of its
     * own. There `cat` passes the lines on.
     *
     * @return resource
     */
    private function standardOutput(string $setsid)
    {
        $isStream = (new FileMode(fstat(STDOUT)['mode'] ?? 0))->isStream();
        $file = $isStream ? @fopen('/dev/stdout', 'a') : false;
        if ($file !== false) {
            fclose($file);

            return STDOUT;
        }
        // Kept: PHP closes the pipe when nothing refers to the process any more.
        $environment = array_diff_key(getenv(), array_flip(ServiceManager::VARIABLES));
        $command = PassedSocket::without([$setsid, 'cat']);
        $cat = proc_open($command, [['pipe', 'r'], STDOUT, STDERR], $pipes, env_vars: $environment);
        if ($cat === false) {
            return STDOUT;
        }
        $this->cat = $cat;

        return $pipes[0];
    }

    /**
     * What a worker says of itself: that is "ready", or "failing" where the application does not boot. Null when we are asked
     * to stop before. An application may take its time to boot: a boot that takes too long is ended by its worker, or, where C
     * code holds that, with it (howdah_boot_timeout).
     */
    private function awaitWorker(): ?string
    {
        $start = $seen = $since = hrtime(true);
        $told = false;
        $workers = [];
        while (hrtime(true) < $seen + self::START_SECONDS * 1_000_000_000) {
            if ($this->stopRequested(0.02)) {
                return null;
            }
            if (!$this->isRunning()) {
                $this->preparation->assertLoads();
                throw new Failure("nginx did not start (exit status {$this->status}): its message is above;"
                    . ' `howdah config` with the same options shows the configuration');
            }
            $children = $this->folder->has(NginxConfig::PID_FILE) ? $this->master()->children() : [];
            if ($children === []) {
                continue;
            }
            $now = hrtime(true);
            $state = $this->master()->ask()[0] ?? null;
            $children ??= [];
            if (array_intersect($workers, $children) === []) {
                [$workers, $since] = [$children, $now];
            }
            // Where each one dies, and another follows, none stays.
            $stays = $workers !== [] && $now > $since + self::BOOT_SECONDS * 1_000_000_000;
            $seen = $state !== null || $stays ? $now : $seen;
            if ($state === 'ready' || $state === 'failing') {
                return $state;
            }
            if (!$told && $now > $start + self::BOOT_SECONDS * 1_000_000_000) {
                $told = true;
                $what = $state === null
                    ? 'no worker answers (C code holds it while the application boots, it is stopped, or each one dies) after '
                    : 'the application has been booting for ';
                ($this->tell)($what . self::BOOT_SECONDS . ' s: waiting; Ctrl-C stops');
            }
        }
        throw new Failure('nginx started, but no worker has answered, or stayed, for ' . self::START_SECONDS
            . ' seconds: the log above should tell why');
    }

    /** The value of $howdah_ready in a worker; null when none answers. */
    private function askWorker(): ?string
    {
        return $this->hasWorkers() ? $this->master()->ask()[0] ?? null : null;
    }

    private function master(): Master
    {
        return new Master($this->folder, $this->pid);
    }

    /**
     * Returns when a stop is asked for; throws when there is nothing left that serves.
     *
     * @param Closure(): string $announce
     */
    private function watch(Closure $announce, Operation $operation): void
    {
        $looksWithoutWorkers = 0;
        $stops = false;
        if ($this->state !== 'ready' && $operation->serveInstead($this->master(), $this->waiting($stops))) {
            $this->state = 'ready';
        }
        if ($stops && $this->isRunning()) {
            return;
        }
        $this->tellState($announce);
        while (!$this->stopRequested($this->filesHaveChanged ? 0.0 : min(1.0, $this->manager->pace()))) {
            if (($this->filesHaveChanged || $this->development?->isToTell() === true) && $this->looksAtFiles()) {
                return;
            }
            if ($this->reloadIsAsked && !$this->reloads($operation)) {
                return;
            }
            $this->master()->boundErrors();
            if ($this->state !== 'ready' && $this->askWorker() === 'ready') {
                $this->state = 'ready';
                $this->tellState($announce);
            }
            if (!$this->isRunning()) {
                throw new Failure("nginx ended by itself (exit status {$this->status}): the log above should tell why");
            }
            // nginx's master stays when its workers end with a fatal error and does not replace them.
            $looksWithoutWorkers = $this->hasWorkers() ? 0 : $looksWithoutWorkers + 1;
            if ($looksWithoutWorkers === 3) {
                throw new Failure('all nginx workers ended and nginx does not replace them: the log above should tell why');
            }
        }
    }

    /** @param Closure(): string $announce */
    private function tellState(Closure $announce): void
    {
        if ($this->state === 'ready') {
            $line = $announce();
            $this->manager->serves($line);
        } else {
            $line = self::FAILING;
            $this->manager->says($line);
        }
        ($this->tell)($line);
    }

    /** False when a stop is asked for meanwhile. */
    private function reloads(Operation $operation): bool
    {
        $this->reloadIsAsked = false;
        $stops = false;
        $operation->reload($this->master(), $this->waiting($stops));

        return !$stops || !$this->isRunning();
    }

    /** True when a stop is asked for meanwhile. */
    private function looksAtFiles(): bool
    {
        $this->filesHaveChanged = $stops = false;
        $wait = function (float $seconds) use (&$stops): bool {
            return $stops = $stops || $this->stopRequested($seconds);
        };
        $needsReload = $this->development?->look($this->master(), $wait) === true;
        $this->reloadIsAsked = $this->reloadIsAsked || $needsReload;

        return $stops;
    }

    /** @return Closure(): bool waits a moment; true, as is what is referred to: a stop is asked for, or nginx has gone */
    private function waiting(bool &$stops): Closure
    {
        return function () use (&$stops): bool {
            return $stops = $stops || $this->stopRequested(0.01) || !$this->isRunning();
        };
    }

    /**
     * Lets running requests end, as long as the time allows; a second wish cuts it short. What stops a whole process group may
     * tell us twice (`timeout`, make, `docker stop` beside a terminal): that is no second wish. One it is after we have said
     * what it would do; what had come before that is heard first, also where this process stood still in between.
     */
    private function stop(): int
    {
        $this->manager->stops();
        if ($this->isRunning()) {
            ($this->tell)("stopping: running requests may take {$this->stopTimeout} s to end");
            posix_kill($this->pid, SIGQUIT);
        }
        $start = hrtime(true);
        $deadline = $start + $this->stopTimeout * 1_000_000_000;
        $isOffered = false;
        while ($this->isRunning()) {
            if (hrtime(true) >= $deadline) {
                ($this->tell)("requests were still running after {$this->stopTimeout} s (--stop-timeout): they are cut off");

                return 1;
            }
            $isAsked = $this->stopRequested(0.05);
            if ($isAsked && $isOffered) {
                ($this->tell)('stopping at once: running requests are cut off');

                return 1;
            }
            if (!$isAsked && !$isOffered && hrtime(true) - $start > self::ONE_STOP_NANOSECONDS && $this->isRunning()) {
                ($this->tell)('requests are still running: a second Ctrl-C, or SIGTERM, cuts them off now');
                $isOffered = true;
            }
        }

        return 0;
    }

    private function kill(): void
    {
        if ($this->isRunning()) {
            posix_kill($this->pid, SIGTERM);
            $deadline = hrtime(true) + self::KILL_SECONDS * 1_000_000_000;
            while ($this->isRunning() && hrtime(true) < $deadline) {
                usleep(20_000);
            }
        }
        if ($this->pid !== 0) {
            // The session that start() made: the master if it is still there, and workers that outlived it.
            @posix_kill(-$this->pid, SIGKILL);
        }
        if ($this->process !== null) {
            proc_close($this->process);
            $this->process = null;
        }
        if ($this->cat !== null) {
            proc_close($this->cat);
            $this->cat = null;
        }
    }

    /** @phpstan-impure */
    private function isRunning(): bool
    {
        if ($this->process === null || $this->status !== null) {
            return false;
        }
        $state = proc_get_status($this->process);
        if ($state['running']) {
            return true;
        }
        $this->status = $state['signaled'] ? 128 + $state['termsig'] : $state['exitcode'];

        return false;
    }

    /** False when nginx's master has no child; a kernel that does not tell is believed to have some. */
    private function hasWorkers(): bool
    {
        return $this->master()->children() !== [];
    }

    /** Waits for a signal, or for nginx's end. */
    private function stopRequested(float $seconds): bool
    {
        $this->manager->lives();
        // From PHP 8.4 on no time at all is an error.
        $nanoseconds = max(1, (int) (fmod($seconds, 1) * 1_000_000_000));
        error_clear_last();
        $signal = @pcntl_sigtimedwait($this->signals(), $info, (int) $seconds, $nanoseconds);
        // Who was stopped (SIGSTOP, a debugger) and goes on is told of an interruption (signal(7)), of which PHP would warn.
        if ($signal === false && error_get_last() !== null && pcntl_get_last_error() !== PCNTL_EINTR) {
            throw new Failure('cannot wait for signals: ' . pcntl_strerror(pcntl_get_last_error()));
        }

        if ($signal === SIGCHLD) {
            $ended = Orphans::reap([$this->pid]);
            $this->status ??= $ended[$this->pid] ?? null;
        }
        // nginx takes no signal before it has written this file.
        if ($signal === SIGUSR1 && $this->folder->has(NginxConfig::PID_FILE)) {
            $this->master()->signal(SIGUSR1);
        }
        if ($signal === Reload::SIGNAL) {
            $this->reloadIsAsked = true;
        }
        $tellsOfFiles = in_array($signal, [SIGUSR2, SIGCHLD], true) && $this->development !== null;
        $this->filesHaveChanged = $this->filesHaveChanged || $tellsOfFiles;
        if ($signal === SIGHUP && $this->operation !== null) {
            $meaning = $this->hangup->meaning();
            $this->reloadIsAsked = $this->reloadIsAsked || $meaning === HangupMeaning::Reload;

            return $meaning === HangupMeaning::Stop;
        }

        return $signal === SIGHUP || in_array($signal, self::STOP_SIGNALS, true);
    }

    /** @return list<int> */
    private function signals(): array
    {
        return [...self::STOP_SIGNALS, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, Reload::SIGNAL];
    }
}
