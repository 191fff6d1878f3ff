<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Allotment;
use Howdah\Bench\Machine\Allotments;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Machine\Processes;
use Howdah\Cli\RuntimeFolder;

/** The processes of a server, and the folder that they share. */
abstract class Running implements Server
{
    /** Null: all that there is. */
    private static ?Allotments $allotments = null;

    /** @var array<string, string> why, by php(): those whose figures say nothing */
    private static array $refusals = [];

    private ?RuntimeFolder $folder = null;
    private int $port = 0;
    private int $processors = 1;

    /** @var list<Process> in the order in which they were started */
    private array $started = [];

    /** @return list<Process> what was started, in this order */
    abstract protected function launch(RuntimeFolder $folder, int $port): array;

    /** What every server that is started from now on is given; returns what it was until now. */
    public static function give(?Allotments $allotments): ?Allotments
    {
        $before = self::$allotments;
        self::$allotments = $allotments;

        return $before;
    }

    /** @param array<string, string> $refusals why, by php(): servers that take no part from now on */
    public static function refuse(array $refusals): void
    {
        self::$refusals = $refusals;
    }

    /** The kind of servers whose PHP it has, if that is not Howdah's or php-fpm's: the same program with the same settings. */
    public function php(): ?string
    {
        return null;
    }

    public function refusal(): ?string
    {
        return self::$refusals[$this->php() ?? ''] ?? null;
    }

    /** It computes on so many: one, if nothing else is said. */
    public function on(int $processors): static
    {
        $this->processors = $processors;

        return $this;
    }

    /** Those that compute: one process of Howdah, or php-fpm's children behind one nginx worker. */
    protected function workers(): int
    {
        return $this->processors;
    }

    /** How many it is given. */
    protected function processors(): int
    {
        return self::$allotments?->processors($this->workers()) ?? Allotment::processors();
    }

    public function beside(): array
    {
        return self::$allotments?->beside($this->workers()) ?? [];
    }

    public function missing(): ?string
    {
        return null;
    }

    public function start(): void
    {
        $folder = $this->folder = new RuntimeFolder();
        $port = $this->port = Port::free();
        $launch = fn (): array => $this->launch($folder, $port);
        $this->started = self::$allotments === null ? $launch() : self::$allotments->start($this->workers(), $launch);
    }

    public function stop(): void
    {
        while (($process = array_pop($this->started)) !== null) {
            $process->stop();
        }
        $this->folder?->remove();
        $this->folder = null;
    }

    public function port(): int
    {
        return $this->port;
    }

    public function processes(): array
    {
        return array_merge(...array_map(fn (Process $one) => Processes::tree($one->id), $this->started));
    }

    public function isRunning(): bool
    {
        foreach ($this->started as $process) {
            if (!$process->isRunning()) {
                return false;
            }
        }

        return $this->started !== [];
    }

    public function complaint(): string
    {
        $said = implode('; ', array_map(fn (Process $one) => $one->complaint(), $this->started));

        return trim($said, '; ') === '' ? 'its log is empty' : "its log ends: $said";
    }
}
