<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Result;
use Howdah\Bench\Report\Samples;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/** What a hook costs when the descriptor is ready: calls of a C library inside a realm, hooked and not, in turns. */
final readonly class HookCost implements Suite
{
    private const BOUND_NS = 150;

    /** Calls that are ready because of what they are asked, not because of a descriptor: shown, and nothing is promised. */
    private const WITHOUT_GOAL = ['dup and close', 'flock', 'pthread_mutex_lock and unlock'];

    public function __construct(private string $name, private string $program)
    {
    }

    public function name(): string
    {
        return $this->name;
    }

    public function title(): string
    {
        return 'what a hook costs on a descriptor that is ready';
    }

    public function run(Run $run): Result
    {
        $samples = new Samples();
        for ($round = 1; $round <= $run->rounds; $round++) {
            $run->tell("$this->name, round $round of $run->rounds");
            foreach ($this->measure() as $call => [$hooked, $original, $over]) {
                $samples->add($call, Metric::HookedCall, $hooked);
                $samples->add($call, Metric::OriginalCall, $original);
                $samples->add($call, Metric::HookCost, $over);
            }
        }
        $goals = array_map(
            fn (string $call) => Goal::below(self::BOUND_NS, "$call: hook less original, ns", Metric::HookCost, $call),
            array_values(array_diff($samples->contenders(), self::WITHOUT_GOAL)),
        );

        return Result::of($this->name, $this->title(), $samples, $goals);
    }

    /** @return array<string, array{float, float, float}> nanoseconds of a call: hooked, original, and by how much more */
    private function measure(): array
    {
        $told = Program::run([$this->program]);
        $calls = json_decode($told->output, true);
        if ($told->status !== 0 || !is_array($calls) || $calls === [] || isset($calls['failed'])) {
            throw new Failure("$this->program ended with exit status $told->status: $told->output $told->errors");
        }
        /** @var array<string, array{hooked_ns: int, original_ns: int, over_ns: int}> $calls */
        return array_map(fn (array $call): array => [
            (float) $call['hooked_ns'],
            (float) $call['original_ns'],
            (float) $call['over_ns'],
        ], $calls);
    }
}
