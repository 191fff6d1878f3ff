<?php

/** AMPHP: three fibers with delays of their own in Revolt's loop; a TimeoutCancellation is the limit. */

declare(strict_types=1);

use Amp\TimeoutCancellation;
use Howdah\WaitingTests\App\Libraries;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        Libraries::load();
        $order = [];
        $futures = [];
        foreach (['last' => 1.0, 'first' => 0.5, 'second' => 0.75] as $name => $part) {
            $futures[] = Amp\async(static function () use ($name, $part, $seconds, &$order): void {
                Amp\delay($part * $seconds);
                $order[] = $name;
            });
        }
        Amp\Future\await($futures);

        return $order;
    }

    public function limit(float $seconds): mixed
    {
        Libraries::load();

        return Amp\delay(5, cancellation: new TimeoutCancellation($seconds));
    }
};
