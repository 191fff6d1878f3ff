<?php

/** sysvsem: sem_acquire() while another process has the semaphore. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $key = random_int(1, PHP_INT_MAX >> 33);
        $holder = Holder::hold('semaphore', $key, $seconds);
        $semaphore = sem_get($key);
        $now = sem_acquire($semaphore, true);

        return [$now, sem_acquire($semaphore), sem_release($semaphore), fclose($holder)];
    }
};
