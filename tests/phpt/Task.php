<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** A request for a crowd, and maybe one that follows it. */
final class Task
{
    /**
     * @param list<string> $conflicts see Test::conflicts()
     * @param ?Task        $next      is sent when this one has ended; nobody looks at its answer
     */
    public function __construct(
        public readonly string $name,
        public readonly int $port,
        public readonly Request $request,
        public readonly array $conflicts = [],
        public readonly ?Task $next = null,
    ) {
    }
}
