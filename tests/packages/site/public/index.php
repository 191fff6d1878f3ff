<?php

/* A request that is in flight for a while: an upgrade shall meet some. */

declare(strict_types=1);

usleep(50_000);
echo 'done';
