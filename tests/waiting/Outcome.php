<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Assert;

/** What came of a row, as App\Front::run() tells it. */
final readonly class Outcome
{
    /** @param array<array-key, mixed> $told result, error and warnings: the same in each run */
    private function __construct(public array $told, public float $elapsed)
    {
    }

    public static function fromJson(string $json): self
    {
        $told = json_decode($json, true);
        Assert::assertIsArray($told, "no JSON: $json");
        $elapsed = $told['elapsed'] ?? null;
        Assert::assertIsFloat($elapsed);
        unset($told['elapsed']);

        return new self($told, $elapsed);
    }
}
