<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** How one test went in a round: in the crowd, and where that failed, alone. */
final class Outcome
{
    public readonly ?string $wrong;
    public ?string $wrongAlone = null;
    public ?Answer $alone = null;

    public function __construct(public readonly Test $test, public readonly Result $result)
    {
        $this->wrong = $test->expectation->wrong($result->answer);
    }

    public function passes(): bool
    {
        return $this->wrong === null;
    }

    public function passesAlone(): bool
    {
        return $this->wrong === null || $this->alone !== null && $this->wrongAlone === null;
    }

    /** Whether the other's answer is the same to the byte: nobody is better. */
    public function equals(self $other): bool
    {
        return $this->result->answer->status === $other->result->answer->status
            && $this->result->answer->body === $other->result->answer->body;
    }

    /** The server has gone, or has given up: the test is of no use to others either. */
    public function endsServer(): bool
    {
        return $this->result->answer->error !== null || in_array($this->result->answer->status, [502, 504], true);
    }

    public function tryAlone(Answer $answer): void
    {
        $this->alone = $answer;
        $this->wrongAlone = $this->test->expectation->wrong($answer);
    }
}
