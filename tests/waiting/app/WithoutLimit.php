<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** A row whose library lets nobody limit this wait; the row's comment says why. */
abstract class WithoutLimit implements Row
{
    final public function limit(float $seconds): mixed
    {
        return null;
    }
}
