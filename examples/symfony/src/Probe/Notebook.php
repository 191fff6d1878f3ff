<?php

declare(strict_types=1);

namespace App\Probe;

use Symfony\Contracts\Service\ResetInterface;

/**
 * A shared service with state, as many applications have one.
 */
final class Notebook implements ResetInterface
{
    public ?string $note = null;

    public function reset(): void
    {
        $this->note = null;
    }
}
