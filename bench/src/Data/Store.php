<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\Failure;
use Howdah\Cli\RuntimeFolder;

/** A server of data of our own, empty each time, with its files and its Unix socket in a folder. stop() may be called twice. */
abstract class Store
{
    private const START_SECONDS = 60;

    private ?RuntimeFolder $folder = null;
    private ?Process $process = null;

    /** @return array<string, string> what Laravel reads, while it runs */
    abstract public function environment(): array;

    /** What a client connects to: a Unix socket, or PostgreSQL's folder. */
    abstract public function address(): string;

    abstract protected function name(): string;

    /** Throws Missing when something for it is not installed. */
    abstract protected function launch(RuntimeFolder $folder): Process;

    /** Null when it answers, else why not. */
    abstract protected function connect(RuntimeFolder $folder): ?string;

    abstract protected function disconnect(): void;

    /** Returns when it answers; throws Failure when it never does. */
    public function start(): void
    {
        $this->folder = new RuntimeFolder();
        $this->process = $this->launch($this->folder);
        $deadline = hrtime(true) + self::START_SECONDS * 1_000_000_000;
        while (($reason = $this->connect($this->folder)) !== null) {
            if (!$this->process->isRunning() || hrtime(true) > $deadline) {
                throw new Failure("{$this->name()} does not start: $reason; {$this->process->complaint()}");
            }
            usleep(20_000);
        }
    }

    public function stop(): void
    {
        $this->disconnect();
        $this->process?->stop();
        $this->process = null;
        $this->folder?->remove();
        $this->folder = null;
    }

    protected function path(): string
    {
        return $this->folder->path ?? '';
    }
}
