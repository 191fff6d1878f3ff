<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use Howdah\Bench\Report\Result;

/** One row of the field: who takes part, what is measured, which goals there are. */
interface Suite
{
    /** One word: the command line chooses by it. */
    public function name(): string;

    public function title(): string;

    /** Throws Failure when a server does not start, WrongAnswer when one does not do what it is measured for. */
    public function run(Run $run): Result;
}
