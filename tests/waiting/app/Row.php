<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** One way for PHP code to wait on a component. A row whose library has no time limit extends WithoutLimit. */
interface Row
{
    /**
     * Waits $seconds (also parts of one) on the peer, by asking it for an answer that takes so long. Returns what it got: the
     * same each time, and what JSON can hold.
     */
    public function wait(float $seconds): mixed;

    /**
     * Sets the library's own time limit to $seconds (rounded up to what the library takes), then asks for an answer that takes
     * 5 s. Lets the library's exception out, or returns what it returned and its error's code and text.
     */
    public function limit(float $seconds): mixed;
}
