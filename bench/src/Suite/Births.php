<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;
use Howdah\Bench\Report\Series;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/**
 * What one more realm costs, without nginx: howdah-run makes some, then many, and the difference is divided. The first one,
 * which compiles code into opcache and warms libraries up, is in both and so in neither.
 */
final readonly class Births implements Suite
{
    private const SOME = 1;

    /** The first birth of a framework compiles for 200 ms, give or take 20: a small number would measure those. */
    private const MANY = 101;

    /** Pairs per round: one is over quickly, and the next process on the processor spoils it. */
    private const PAIRS = 5;

    /**
     * @param list<Newborn> $kinds
     * @param list<Goal>    $goals
     */
    public function __construct(
        private string $name,
        private string $title,
        private string $runner,
        private array $kinds,
        private array $goals,
    ) {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function title(): string
    {
        return $this->title . ' (' . self::MANY . ' realms less ' . self::SOME . ', divided by their number)';
    }

    public function run(Run $run): Result
    {
        $samples = new Samples();
        foreach ($this->kinds as $kind) {
            $this->prove($kind);
        }
        for ($round = 1; $round <= $run->rounds; $round++) {
            foreach ($this->kinds as $kind) {
                $run->tell("$this->name, round $round of $run->rounds: $kind->name");
                [$milliseconds, $kilobytes] = $this->round($kind);
                $samples->add($kind->name, Metric::BirthTime, $milliseconds);
                $samples->add($kind->name, Metric::BirthMemory, $kilobytes);
            }
        }
        foreach ($this->kinds as $kind) {
            $this->prove($kind);
        }

        return Result::of($this->name, $this->title(), $samples, $this->goals);
    }

    /** @return array{float, float} milliseconds and kilobytes (of 1,000 bytes) of one birth */
    private function round(Newborn $kind): array
    {
        $milliseconds = [];
        $kilobytes = [];
        for ($pair = 0; $pair < self::PAIRS; $pair++) {
            [$some_us, $some_kib] = $this->births($kind, self::SOME);
            [$many_us, $many_kib] = $this->births($kind, self::MANY);
            $more = self::MANY - self::SOME;
            $milliseconds[] = ($many_us - $some_us) / $more / 1000;
            $kilobytes[] = ($many_kib - $some_kib) / $more * 1.024;
        }

        return [(new Series($milliseconds))->median(), (new Series($kilobytes))->median()];
    }

    /** @return array{int, int} microseconds and KiB that so many births took */
    private function births(Newborn $kind, int $count): array
    {
        $options = ['--memory', "--warm=$count", "--realms=$count", '--requests=0', ...$kind->options];
        $told = Program::run([$this->runner, ...$options]);
        $pattern = "/^warm realms=$count us=(\d+) private_kb=(\d+)\\nresident_kb .* births=$count deaths=0 /m";
        if ($told->status !== 0 || preg_match($pattern, $told->output, $match) !== 1) {
            throw new Failure("$kind->name: howdah-run " . implode(' ', $options) . " ended with exit status $told->status: "
                . "$told->output $told->errors");
        }

        return [(int) $match[1], (int) $match[2]];
    }

    private function prove(Newborn $kind): void
    {
        $asked = Program::run([$this->runner, '--quiet', ...$kind->proof, ...$kind->options]);
        if ($asked->status !== 0) {
            throw new WrongAnswer("$kind->name: $asked->errors");
        }
    }
}
