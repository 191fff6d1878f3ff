<?php

declare(strict_types=1);

namespace Howdah\Cli\Audit;

/** Which request a client sends next. */
interface Plan
{
    /** Null: none now; there may be one after the next answer. */
    public function next(int $client): ?Request;

    public function answered(int $client, Request $request, Answer $answer): void;
}
