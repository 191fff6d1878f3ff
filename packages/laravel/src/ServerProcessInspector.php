<?php

declare(strict_types=1);

namespace Howdah\Laravel;

use Laravel\Octane\Contracts\ServerProcessInspector as Contract;
use Laravel\Octane\FrankenPhp\ServerStateFile;

/** The server that Octane's state file names. */
final readonly class ServerProcessInspector implements Contract
{
    public function __construct(private ServerStateFile $file, private string $basePath)
    {
    }

    /** The number alone says little: after a crash another process may have it. */
    public function serverIsRunning(): bool
    {
        $pid = $this->pid();
        $served = $pid === null ? null : HowdahCommand::served($pid);

        return $served !== null && realpath($this->basePath) === realpath($served);
    }

    public function reloadServer(): void
    {
        $pid = $this->pid();
        if ($pid !== null) {
            HowdahCommand::reload($pid);
        }
    }

    public function stopServer(): bool
    {
        $pid = $this->pid();
        if ($pid === null) {
            return false;
        }
        HowdahCommand::stop($pid);

        return true;
    }

    private function pid(): ?int
    {
        $pid = $this->file->read()['masterProcessId'] ?? null;

        return is_int($pid) && $pid > 0 ? $pid : null;
    }
}
