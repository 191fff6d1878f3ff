<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

/** Every client sends the whole list in its order, as a visitor would who logs in first, several times. */
final class ListPlan implements Plan
{
    /** @var array<int, int> requests sent, by client */
    private array $sent = [];

    /** @param list<Request> $requests */
    public function __construct(
        private readonly array $requests,
        private readonly int $rounds,
    ) {
    }

    public function next(int $client): ?Request
    {
        $number = $this->sent[$client] ?? 0;
        if ($number >= $this->rounds * count($this->requests)) {
            return null;
        }
        $this->sent[$client] = $number + 1;

        return $this->requests[$number % count($this->requests)];
    }

    public function answered(int $client, Request $request, Answer $answer): void
    {
    }
}
