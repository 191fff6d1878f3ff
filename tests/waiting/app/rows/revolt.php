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
        [$told] = $this->run($seconds, 60);

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
        $line = null;
        $suspension = EventLoop::getSuspension();
        $stream = Peer::asked("echo $seconds line");
        $limiter = EventLoop::delay($limit, static fn () => $suspension->resume('limit'));
        // Where a machine is so busy that timers and line come at once, their order is the loop's.
        $resume = static function () use ($suspension, &$told, &$line): void {
            if ($line !== null && count($told) === 3) {
                $suspension->resume('line');
            }
        };
        $reader = EventLoop::onReadable($stream, static function (string $id) use ($stream, $resume, &$line): void {
            EventLoop::cancel($id);
            $line = fgets($stream);
            $resume();
        });
        $timers = [];
        foreach (['second' => 0.1, 'first' => 0.05] as $name => $part) {
            $timers[] = EventLoop::delay($part, static function () use ($name, $resume, &$told): void {
                $told[] = $name;
                $resume();
            });
        }
        EventLoop::defer(static function () use ($resume, &$told): void {
            $told[] = 'deferred';
            $resume();
        });
        $why = $suspension->suspend();
        array_map(EventLoop::cancel(...), [$limiter, $reader, ...$timers]);

        return [$line === null ? $told : [...$told, $line], $why];
    }
};
