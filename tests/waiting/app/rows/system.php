<?php

/** system() hands on what a child says. No limit: the function takes none. */

declare(strict_types=1);

use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        ob_start();
        $returned = system("echo first; sleep $seconds; echo last; exit 7", $code);

        return [$returned, ob_get_clean(), $code];
    }
};
