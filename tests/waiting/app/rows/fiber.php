<?php

/** Two fibers of PHP's own take turns; the waits inside them are the request's. No limit: a nap has none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $fibers = array_map(static fn (string $name) => new Fiber(static function () use ($name, $seconds): string {
            usleep((int) ($seconds * 250_000));
            $between = Fiber::suspend("$name naps");

            return $between . fgets(Peer::asked("echo " . $seconds / 4 . " $name"));
        }), ['one', 'two']);
        $told = array_map(static fn (Fiber $fiber) => $fiber->start(), $fibers);
        array_map(static fn (Fiber $fiber) => $fiber->resume('and asks: '), $fibers);

        return [$told, array_map(static fn (Fiber $fiber) => $fiber->getReturn(), $fibers)];
    }
};
