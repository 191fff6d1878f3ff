<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;

/** One point of a line: how much there is of what grows, who is measured there, and with which load. */
final readonly class Place
{
    public function __construct(public string $line, public int $amount, public Contender $contender, public Load $load)
    {
    }
}
