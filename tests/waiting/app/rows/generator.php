<?php

/** A generator that waits between its values, and in its finally. No limit: a nap has none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $values = [];
        $generator = (static function () use ($seconds, &$values): Generator {
            try {
                for ($number = 0;; $number++) {
                    usleep((int) ($seconds * 300_000));
                    yield $number;
                }
            } finally {
                usleep((int) ($seconds * 200_000));
                $values[] = 'finally';
            }
        })();
        foreach ($generator as $value) {
            $values[] = $value;
            if ($value === 2) {
                break;
            }
        }
        unset($generator);

        return $values;
    }
};
