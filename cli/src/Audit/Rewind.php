<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

use JsonSerializable;

/** Whether an application can be rewound (docs/rewind.md), as its server has found out. */
final readonly class Rewind implements JsonSerializable
{
    /**
     * @param list<string> $obstacles why it was served without rewind
     * @param list<string> $spoiled   what requests have changed that is not put back, so that their realms were replaced
     */
    public function __construct(public array $obstacles, public array $spoiled)
    {
    }

    public function works(): bool
    {
        return $this->obstacles === [];
    }

    /** @return list<string> */
    public function remarks(): array
    {
        $remarks = [];
        foreach ($this->obstacles as $obstacle) {
            $remarks[] = "It cannot be rewound: $obstacle.";
        }
        foreach ($this->spoiled as $what) {
            $remarks[] = "A request has changed what rewind does not put back ($what): its realm was replaced.";
        }

        return $remarks;
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return ['works' => $this->works(), 'obstacles' => $this->obstacles, 'spoiled' => $this->spoiled];
    }
}
