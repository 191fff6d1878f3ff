<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** A test that php-fpm passes and Howdah does not. */
final class Difference
{
    public const ALWAYS = 'fails';
    public const CROWD = 'fails among others, not alone';
    public const ONCE = 'failed once among others, and never again';
    public const LOST = 'its worker was lost';

    public function __construct(
        public readonly Outcome $outcome,
        public readonly string $round,
        public readonly string $kind,
    ) {
    }

    public function isOfChaos(): bool
    {
        return $this->round !== Round::PLAIN;
    }

    public function name(): string
    {
        return $this->outcome->test->name;
    }
}
