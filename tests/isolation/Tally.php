<?php

/**
 * Counts what came back, and what can be seen only in all answers together: who served, and how many at once.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

/**
 * @phpstan-import-type Outcome from Client
 */
final class Tally
{
    private const DETAILS = 10;

    private int $right = 0;
    private int $wrong = 0;
    private int $errors = 0;

    /** @var list<string> */
    private array $details = [];

    /** @var array<int, list<array{start: int, end: int, realm: int}>> by worker */
    private array $served = [];

    /** @var array<int, int> by worker: how many requests overlapped at most */
    private array $overlap = [];

    private readonly int $begun;
    private int $took = 0;

    public function __construct()
    {
        $this->begun = hrtime(true);
    }

    /**
     * @param Outcome $outcome
     */
    public function add(array $outcome): void
    {
        if ($outcome['error'] !== null) {
            ++$this->errors;
            $this->detail("{$outcome['id']}: {$outcome['error']}");

            return;
        }
        if ($outcome['wrong'] !== []) {
            ++$this->wrong;
            foreach ($outcome['wrong'] as $text) {
                $this->detail("{$outcome['id']} (worker {$outcome['worker']}, realm {$outcome['realm']}): {$text}");
            }
        } else {
            ++$this->right;
        }
        $this->served[$outcome['worker']][] = [
            'start' => $outcome['start'],
            'end' => $outcome['end'],
            'realm' => $outcome['realm'],
        ];
    }

    public function finish(): void
    {
        $this->took = hrtime(true) - $this->begun;
        foreach ($this->served as $worker => $requests) {
            $this->overlap[$worker] = $this->overlapOf($worker, $requests);
        }
    }

    public function failures(): int
    {
        return $this->wrong + $this->errors;
    }

    public function allRight(): bool
    {
        return $this->right > 0 && $this->failures() === 0;
    }

    /**
     * @return list<int>
     */
    public function workers(): array
    {
        return array_keys($this->served);
    }

    /**
     * @return array{right: int, wrong: int, errors: int, seconds: float, workers: list<int>, realms: int, overlap: int,
     *     details: list<string>}
     */
    public function summary(): array
    {
        $realms = array_map(
            static fn (array $requests): int => count(array_unique(array_column($requests, 'realm'))),
            $this->served,
        );

        return [
            'right' => $this->right,
            'wrong' => $this->wrong,
            'errors' => $this->errors,
            'seconds' => round($this->took / 1e9, 2),
            'workers' => $this->workers(),
            'realms' => array_sum($realms),
            'overlap' => max([0, ...$this->overlap]),
            'details' => $this->details,
        ];
    }

    public function report(): string
    {
        $sum = $this->summary();
        $total = $sum['right'] + $sum['wrong'] + $sum['errors'];
        $lines = [
            sprintf('%d right, %d wrong, %d errors of %d', $sum['right'], $sum['wrong'], $sum['errors'], $total),
            sprintf('%.1f s, %.0f requests/s', $sum['seconds'], $total / max(0.001, $sum['seconds'])),
            sprintf(
                'workers: %s; realms: %d; most requests at once in one worker: %d',
                implode(', ', $sum['workers']) ?: 'none',
                $sum['realms'],
                $sum['overlap'],
            ),
            ...array_map(static fn (string $detail): string => "  {$detail}", $sum['details']),
        ];

        return implode("\n", $lines) . "\n";
    }

    /**
     * @param list<array{start: int, end: int, realm: int}> $requests
     */
    private function overlapOf(int $worker, array $requests): int
    {
        $events = [];
        foreach ($requests as $request) {
            $events[] = [$request['start'], 1, $request['realm']];
            $events[] = [$request['end'], -1, $request['realm']];
        }
        sort($events);
        $now = $most = 0;
        $inRealm = [];
        foreach ($events as [, $step, $realm]) {
            $most = max($most, $now += $step);
            $inRealm[$realm] = ($inRealm[$realm] ?? 0) + $step;
            if ($inRealm[$realm] > 1) {
                ++$this->wrong;
                $this->detail("worker {$worker}, realm {$realm}: served two requests at once");
            }
        }

        return $most;
    }

    private function detail(string $text): void
    {
        if (count($this->details) < self::DETAILS) {
            $this->details[] = $text;
        }
    }
}
