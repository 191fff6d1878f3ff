<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/** A real server on loopback that rows wait on; its data is in a temporary folder. No arguments: Components makes it by its name. */
interface Component
{
    /** Returns when it takes connections; throws when it does not within its time. */
    public function start(): void;

    /** @return array<string, string> what rows need to reach it: App\Settings::of() with the class's short name */
    public function settings(): array;

    /** Ends its processes, by their ids, and removes its folder. */
    public function stop(): void;
}
