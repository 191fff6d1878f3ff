<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Pool;

use Closure;

final class Node
{
    public ?Node $self = null;

    public function __construct(public string $payload, private Closure $end)
    {
    }

    public function __destruct()
    {
        ($this->end)();
    }
}
