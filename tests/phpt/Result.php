<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** How one task went. */
final class Result
{
    /** @param list<string> $neighbours the tasks that ran at the same time, or part of it */
    public function __construct(
        public readonly Task $task,
        public readonly Answer $answer,
        public readonly float $seconds,
        public readonly array $neighbours,
    ) {
    }
}
