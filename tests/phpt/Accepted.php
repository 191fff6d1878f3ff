<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/**
 * The differences that are known, one a line: test, reason. A reason that begins with "chaos:" holds for the round with the
 * chaos scheduler alone; with "flaky:", the test may pass as well.
 */
final class Accepted
{
    /** @var array<string, string> reasons by test */
    private readonly array $reasons;

    public function __construct(private readonly string $file)
    {
        $this->reasons = Reasons::of($file);
    }

    public function reason(Difference $difference): ?string
    {
        $reason = $this->reasons[$difference->name()] ?? null;

        return $reason !== null && !$difference->isOfChaos() && str_starts_with($reason, 'chaos:') ? null : $reason;
    }

    /**
     * What the list has too much: the differences that are none any more.
     *
     * @param list<Difference> $differences
     *
     * @return list<string>
     */
    public function surplus(array $differences): array
    {
        $seen = array_map(static fn (Difference $difference): string => $difference->name(), $differences);
        $surplus = [];
        foreach (array_diff_key($this->reasons, array_flip($seen)) as $test => $reason) {
            if (preg_match('/^(chaos: *)?flaky:/', $reason) !== 1) {
                $surplus[] = "$test is no difference (any more): take it out of the list $this->file";
            }
        }

        return $surplus;
    }
}
