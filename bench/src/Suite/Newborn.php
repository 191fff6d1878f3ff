<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

/** A kind of realm whose birth is measured. */
final readonly class Newborn
{
    /**
     * @param list<string> $options of howdah-run, the script included
     * @param list<string> $proof   options with which a request to it must succeed: what was born is of use
     */
    public function __construct(public string $name, public array $options, public array $proof)
    {
    }
}
