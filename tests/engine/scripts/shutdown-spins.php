<?php

// Spins until its time is over, and again in a shutdown function.

declare(strict_types=1);

function spin(): never
{
    for ($i = 0; true; ++$i) {
    }
}

set_time_limit(1);
register_shutdown_function(spin(...));
spin();
