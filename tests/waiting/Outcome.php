<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Assert;

/** What came of a row, as App\Front::run() tells it. */
final readonly class Outcome
{
    /**
     * @param array<array-key, mixed> $told    result, error and warnings: the same in each run
     * @param float                   $delayed seconds of those that elapsed in which its process had no processor, though it wanted one
     */
    private function __construct(public array $told, public float $elapsed, public float $delayed)
    {
    }

    public static function fromJson(string $json): self
    {
        $told = json_decode($json, true);
        Assert::assertIsArray($told, "no JSON: $json");
        $elapsed = $told['elapsed'] ?? null;
        $delayed = $told['delayed'] ?? null;
        // 0.0 is 0 in JSON.
        Assert::assertIsNumeric($elapsed);
        Assert::assertIsNumeric($delayed);
        unset($told['elapsed'], $told['delayed']);

        return new self($told, (float) $elapsed, (float) $delayed);
    }
}
