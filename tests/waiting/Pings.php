<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\WaitingTests\App\Processor;

/**
 * Requests that are answered at once, asked while others wait. Each answer tells how many do: it came while they waited.
 *
 * That no call blocks for a part of their time is seen by a clock only. On a busy machine worker and client wait for a
 * processor, too. The kernel tells how long, and that is taken off: a worker that blocks waits for none.
 */
final class Pings
{
    private const PROMPT_SECONDS = 0.03;

    private const ENOUGH = 3;

    /** @var list<float> seconds from question to answer since all wait, without the time in which a processor was waited for */
    private array $seconds = [];

    /** How many were answered while all waited, after it was known that all do. */
    private int $answered = 0;

    private bool $doAllWait = false;

    /** @var list<int> */
    private readonly array $processes;

    /** @param int $waiting how many requests are to wait */
    public function __construct(private readonly Server $server, private readonly int $waiting)
    {
        $this->processes = [...$server->workers(), (int) getmypid()];
    }

    /** @return callable(float): void for Client::all(): asks until shortly before those who wait $seconds may end */
    public function during(float $seconds): callable
    {
        return function (float $passed) use ($seconds): void {
            if ($passed < $seconds - self::PROMPT_SECONDS) {
                $this->ask();
            }
        };
    }

    /** A call that blocks leaves one. */
    public function arePrompt(): bool
    {
        return $this->answered >= self::ENOUGH && max($this->seconds) <= self::PROMPT_SECONDS;
    }

    /** Fails as Late. */
    public function fail(): never
    {
        $times = array_map(static fn (float $seconds): string => round($seconds * 1000) . ' ms', $this->seconds);
        Clock::late("{$this->answered} pings were answered while {$this->waiting} waited, at least " . self::ENOUGH . ' are to be; they took '
            . implode(', ', $times) . ', without what they waited for a processor, ' . self::PROMPT_SECONDS . ' s are allowed');
    }

    private function ask(): void
    {
        $delays = $this->delays();
        $response = $this->server->client->get('/?do=status');
        $seconds = max(0.0, $response->seconds - ($this->delays() - $delays));
        $wait = $response->json()['waiting'] >= $this->waiting;
        if ($this->doAllWait) {
            $this->seconds[] = $seconds;
            $this->answered += $wait ? 1 : 0;
        }
        $this->doAllWait = $this->doAllWait || $wait;
    }

    private function delays(): float
    {
        return array_sum(array_map(Processor::delay(...), $this->processes));
    }
}
