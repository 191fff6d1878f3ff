<?php

declare(strict_types=1);

sleep(3);
echo 'done';
