<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Closure;
use Howdah\Cli\Failure;
use Howdah\Cli\RuntimeFolder;

/**
 * One reload of a running nginx, from the signal to its outcome.
 *
 * nginx reads its configuration, and Howdah's module tries the worker scripts in a process of their own; only if all of that is
 * well new workers take over (nginx/trial.c). The outcome is seen in two ways that have to agree: nginx's master has done with
 * the signal, and a worker with the new configuration's number answers, or there is no new worker.
 */
final readonly class Reload
{
    public const CONFIGURATION = 'nginx.conf';

    /** Of other commands: SIGRTMIN + 1. SIGHUP may be that of a terminal that was closed (Hangup); this means nothing else. */
    public const SIGNAL = 35;

    /** For all but boots: those that are tried, and those of new workers, have a limit of their own (howdah_boot_timeout). */
    private const PATIENCE_SECONDS = 60;

    /** Where nothing is new so long after the master has done with the signal, it has refused. */
    private const MARGIN_NANOSECONDS = 2_000_000_000;

    /** Where new workers say nothing else for so long, and so often, they do not boot: one of them may be about to. */
    private const FAILING_NANOSECONDS = 2_000_000_000;
    private const FAILING_ANSWERS = 20;

    /** As much of what was said as a person reads. */
    private const LINES = 12;

    /** An old worker that has not heard of it for so long is deaf: C code holds it, or it is stopped. */
    private const DEAF_NANOSECONDS = 5_000_000_000;

    public function __construct(private RuntimeFolder $folder, private Master $master)
    {
    }

    /**
     * Returns when workers of the new configuration serve, and no others take connections, but for those that it returns: they
     * hear of nothing now. Throws with the reason where new ones do not serve: the old ones go on.
     *
     * @param  Closure(): bool $wait a moment; true: it must end now
     * @return list<int>
     */
    public function run(string $configuration, int $number, Closure $wait): array
    {
        $old = (string) file_get_contents("{$this->folder->path}/" . self::CONFIGURATION);
        $this->folder->write(self::CONFIGURATION, $configuration);
        $workers = $this->master->children() ?? [];
        $this->master->forgetErrors();
        try {
            $this->master->signal(SIGHUP);

            return $this->await($number, $workers, $wait);
        } catch (Failure $failure) {
            $this->folder->write(self::CONFIGURATION, $old);
            throw $failure;
        }
    }

    /**
     * @param  list<int>       $workers of before
     * @param  Closure(): bool $wait
     * @return list<int>
     */
    private function await(int $number, array $workers, Closure $wait): array
    {
        $start = hrtime(true);
        $done = $ready = $failing = null;
        $fails = 0;
        $state = 'none answers';
        while (hrtime(true) < $start + self::PATIENCE_SECONDS * 1_000_000_000) {
            if ($wait()) {
                throw new Failure('the server stops: nothing was reloaded');
            }
            $isNew = array_diff($this->master->children() ?? $workers, $workers) !== [];
            $done = $this->master->hasDone(SIGHUP) ? $done ?? hrtime(true) : null;
            if ($done === null) {
                $start = $isNew ? hrtime(true) : $start;
                continue;
            }
            [$state, $answered] = $this->master->ask() ?? [$state, 0];
            if ($answered === $number) {
                $fails = $state === 'failing' ? $fails + 1 : 0;
                $failing = $fails > 0 ? $failing ?? hrtime(true) : null;
            }
            if ($answered === $number && $state === 'booting') {
                $start = hrtime(true);
            }
            if ($answered === $number && $state === 'ready') {
                $ready ??= hrtime(true);
                $staying = Master::staying($workers);
                if ($staying === [] || hrtime(true) > $ready + self::DEAF_NANOSECONDS) {
                    return $staying;
                }
            }
            $isLong = $failing !== null && hrtime(true) > $failing + self::FAILING_NANOSECONDS;
            if ($isLong && $fails >= self::FAILING_ANSWERS) {
                throw new Failure("the new workers' application does not boot, though it did when it was tried: "
                    . $this->reason($workers));
            }
            if (!$isNew && $answered !== $number && hrtime(true) > $done + self::MARGIN_NANOSECONDS) {
                throw new Failure('nginx has refused: ' . $this->reason($workers));
            }
        }
        throw new Failure('new workers did not come to serve within ' . self::PATIENCE_SECONDS
            . " seconds ($state): the server's log should tell why");
    }

    /** @param list<int> $workers of before, whose troubles are others */
    private function reason(array $workers): string
    {
        $lines = array_slice($this->master->errors($workers), -self::LINES);

        return $lines === [] ? "the server's log tells why" : implode("\n", $lines);
    }
}
