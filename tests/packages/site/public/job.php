<?php

/* Leaves a job in the background, which loses its parent when it ends. */

declare(strict_types=1);

exec('sh -c "sleep 0.2 &" > /dev/null 2>&1');
echo 'left';
