<?php

/** The callback of an output buffer waits. No limit: a nap has none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $calls = 0;
        $callback = static function (string $text) use ($seconds, &$calls): string {
            usleep((int) ($seconds * 500_000));
            $calls++;

            return strtoupper($text);
        };
        ob_start();
        ob_start($callback, 10);
        echo 'more than ten';
        echo ', less';
        ob_end_flush();

        return [ob_get_clean(), $calls];
    }
};
