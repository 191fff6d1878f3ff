<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

/** Something that answers HTTP on a loopback port while it runs. stop() may be called at any time, and twice. */
interface Server
{
    /** What this machine lacks to run it; null when nothing is. */
    public function missing(): ?string;

    /** Why its figures could be compared with nobody's, although it is here; null when they can. */
    public function refusal(): ?string;

    /** Returns as soon as it was started; Contender waits until it answers. */
    public function start(): void;

    public function stop(): void;

    public function port(): int;

    /** @return list<string> what comes before a load generator's command: it gets out of the server's way */
    public function beside(): array;

    /** @return list<int> all its processes; another list later means that one has died */
    public function processes(): array;

    public function isRunning(): bool;

    /** The end of its log, on one line. */
    public function complaint(): string;
}
