<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** A round through Howdah beside the one through php-fpm: what is worse, and what only looks so. */
final class Comparison
{
    /** How often a test that fails only in a crowd is tried again in the same one. */
    private const TRIES = 3;

    /** Seconds. Neighbours that took longer are not asked again: some compute for minutes under the chaos scheduler. */
    private const SLOW = 10;

    /** Nor more than so many: who takes minutes itself meets thousands. */
    private const NEIGHBOURS = 200;

    /** @var list<Difference> */
    public array $differences = [];
    /** @var list<string> tests that disturb each other under php-fpm, too: they use the same file, port or key */
    public array $overlaps = [];

    /** @param list<string> $losses what nginx said of lost workers */
    public function __construct(
        public readonly Round $reference,
        public readonly Round $round,
        public readonly array $losses,
        private readonly Accepted $accepted,
    ) {
        foreach ($round->outcomes as $name => $outcome) {
            if (!$outcome->passes() && $reference->outcomes[$name]->passesAlone()) {
                $this->judge($outcome, $reference->outcomes[$name]);
            }
        }
    }

    public function passed(): int
    {
        return count(array_filter($this->round->outcomes, static fn (Outcome $outcome): bool => $outcome->passesAlone()));
    }

    private function judge(Outcome $outcome, Outcome $reference): void
    {
        if (!$outcome->passesAlone()) {
            $this->add($outcome, Difference::ALWAYS);
        } elseif ($this->losses !== [] && $outcome->result->answer->error !== null) {
            $this->add($outcome, Difference::LOST);
        } elseif (!$reference->passes()) {
            $this->overlaps[] = $outcome->test->name;
        } elseif ($this->accepted->reason(new Difference($outcome, $this->round->name, Difference::CROWD)) !== null) {
            // It is known. Those that measure time are slow, and meet others that are.
            $this->add($outcome, Difference::CROWD);
        } else {
            $this->lookAgain($outcome);
        }
    }

    /** A leak between realms, or tests that would disturb each other anywhere? The same neighbours through both servers tell. */
    private function lookAgain(Outcome $outcome): void
    {
        $all = $this->round->outcomes;
        $names = array_filter($outcome->result->neighbours, static function (string $name) use ($all): bool {
            return isset($all[$name]) && $all[$name]->result->seconds < self::SLOW;
        });
        $others = array_map(static fn (string $name): Test => $all[$name]->test, array_slice($names, 0, self::NEIGHBOURS));
        $fails = false;
        for ($try = 0; $try < self::TRIES; ++$try) {
            if ($this->reference->failsAmong($outcome->test, $others)) {
                $this->overlaps[] = $outcome->test->name;
                return;
            }
            $fails = $this->round->failsAmong($outcome->test, $others) || $fails;
        }
        $this->add($outcome, $fails ? Difference::CROWD : Difference::ONCE);
    }

    private function add(Outcome $outcome, string $kind): void
    {
        $this->differences[] = new Difference($outcome, $this->round->name, $kind);
    }
}
