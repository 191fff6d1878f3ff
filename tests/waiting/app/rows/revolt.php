<?php

/** Revolt's loop on stream_select(): timers, a stream, a deferred callback; a timer of its own is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Peer;
use Howdah\WaitingTests\App\Row;
use Revolt\EventLoop;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        [$told] = $this->run($seconds, 4);

        return $told;
    }

    public function limit(float $seconds): mixed
    {
        return $this->run(5, $seconds);
    }

    /** @return array{list<string>, string} */
    private function run(float $seconds, float $limit): array
    {
        Libraries::load();
        $told = [];
        $suspension = EventLoop::getSuspension();
        $stream = Peer::asked("echo $seconds line");
        $limiter = EventLoop::delay($limit, static fn () => $suspension->resume('limit'));
        $reader = EventLoop::onReadable($stream, static function () use ($stream, $suspension, &$told): void {
            $told[] = fgets($stream);
            $suspension->resume('line');
        });
        $timers = [];
        foreach (['second' => 0.1, 'first' => 0.05] as $name => $part) {
            $timers[] = EventLoop::delay($part, static function () use ($name, &$told): void {
                $told[] = $name;
            });
        }
        EventLoop::defer(static function () use (&$told): void {
            $told[] = 'deferred';
        });
        $why = $suspension->suspend();
        array_map(EventLoop::cancel(...), [$limiter, $reader, ...$timers]);

        return [$told, $why];
    }
};
