<?php

declare(strict_types=1);

namespace Howdah\Laravel;

/**
 * `howdah serve` as a child, with the methods of Symfony's Process that Octane's runServer() calls.
 *
 * It has this process's own output, not pipes: nginx writes its access log there, and would wait whenever Octane, which looks
 * twice a second, has not emptied a pipe. It inherits the descriptors: PHP would set back the position of a file in which
 * something was written by another stream than STDOUT.
 */
final class ServerProcess
{
    /** @var resource */
    private $process;
    private readonly int $pid;
    private ?int $status = null;

    /**
     * @param list<string>          $command
     * @param array<string, string> $environment
     */
    public function __construct(array $command, array $environment)
    {
        $process = proc_open($command, [['file', '/dev/null', 'r']], $pipes, null, $environment);
        if ($process === false) {
            throw new HowdahFailure("{$command[0]} cannot be started: `apt-get install util-linux` where it is missing, or no"
                . ' process or memory is left on this machine');
        }
        $this->process = $process;
        $this->pid = proc_get_status($process)['pid'];
    }

    public function isStarted(): bool
    {
        return true;
    }

    public function isRunning(): bool
    {
        if ($this->status !== null) {
            return false;
        }
        $state = proc_get_status($this->process);
        if (!$state['running']) {
            $this->status = $state['signaled'] ? 128 + $state['termsig'] : $state['exitcode'];
        }

        return $state['running'];
    }

    /** Null while it runs; as a shell has it for one that a signal ended. */
    public function getExitCode(): ?int
    {
        return $this->isRunning() ? null : $this->status;
    }

    public function getPid(): int
    {
        return $this->pid;
    }
}
