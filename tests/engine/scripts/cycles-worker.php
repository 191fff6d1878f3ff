<?php

// Leaves reference cycles with destructors that wait. The first requests wait, the very first until the log tells of what was
// destroyed: others are idle.

declare(strict_types=1);

final class Ring
{
    private ?Ring $self = null;

    public function __construct(private int $number)
    {
        $this->self = $this;
    }

    public function __destruct()
    {
        if ($this->number === 0 && $this->self === $this) {
            usleep(1000);
            echo 'destroyed';
        }
    }
}

while (
    frankenphp_handle_request(static function (): void {
        for ($number = 0; $number < 120; $number++) {
            new Ring($number);
        }
        if ((int) $_GET['n'] < 5) {
            usleep(100_000);
        }
        for ($until = hrtime(true) + 60e9; $_GET['n'] === '0' && filesize('/proc/self/fd/2') === 0; clearstatcache()) {
            if (hrtime(true) > $until) {
                exit('nothing was told');
            }
            usleep(20_000);
        }
        echo 'ok';
    })
) {
}
// PHP leaves to its heap what is in cycles when a script ends (zend_objects_store_free_object_storage()).
gc_collect_cycles();
