<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** A row whose library takes long to start and to stop, which are no part of its wait or its limit. */
interface Lasting extends Row
{
    /** Before the clock runs; $seconds is how late the peer will be. */
    public function begin(float $seconds): void;

    /** After it was read, also when something was thrown. */
    public function end(): void;
}
