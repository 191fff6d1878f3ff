<?php

/** Lines that are no headers, and one that is. */

declare(strict_types=1);

foreach (['Invalid', ': no name', "Tab\tB: c", 'Blank : c', "High\xff: c", 'X-Kept: kept'] as $line) {
    header($line);
}
echo 'body';
