<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** With --rewind: which realm has answered which tests, by a header that nginx adds. */
final class Rewound
{
    /** Of a hundred tests so many have to find a realm that was put back, or little was tried. */
    private const ENOUGH = 50;

    /** Tests of a run that may be the first of their realms, however few there are. */
    private const FIRST = 32;

    /** @var array<string, list<string>> names of tests by realm, as they were answered */
    private array $tests = [];

    private readonly int $answers;

    /** @param list<string> $obstacles what Howdah said of a worker script that it serves without rewind */
    public function __construct(Round $round, private readonly array $obstacles)
    {
        $this->answers = count($round->outcomes);
        foreach ($round->outcomes as $name => $outcome) {
            $realm = $outcome->result->answer->headers['x-realm'] ?? '';
            if ($realm !== '') {
                $this->tests[$realm][] = $name;
            }
        }
    }

    /** @return list<string> the tests that the realm of this one had answered before, the last one first */
    public function before(string $name): array
    {
        foreach ($this->tests as $names) {
            $place = array_search($name, $names, true);
            if ($place !== false) {
                return array_reverse(array_slice($names, 0, $place));
            }
        }

        return [];
    }

    public function figures(): string
    {
        return sprintf('%d of %d tests found a realm that was put back', $this->found(), $this->all());
    }

    /** @return list<string> */
    public function complaints(): array
    {
        // A realm's first test finds none that was put back.
        $isFew = $this->found() * 100 < ($this->all() - self::FIRST) * self::ENOUGH;
        $few = $isFew || $this->all() === 0 ? ["only {$this->figures()}, of {$this->answers} in all"] : [];

        return [...$this->obstacles, ...$few];
    }

    /** A realm is born, and has a number of its own, where the one before was not put back. */
    private function found(): int
    {
        return $this->all() - count($this->tests);
    }

    private function all(): int
    {
        return array_sum(array_map(count(...), $this->tests));
    }
}
