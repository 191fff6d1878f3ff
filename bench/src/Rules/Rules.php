<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

/** What a public benchmark asks of those whose speed it tells: looked at before anything is measured. */
interface Rules
{
    /** Throws WrongAnswer at the first rule that is broken. */
    public function verify(Asking $asking): void;
}
