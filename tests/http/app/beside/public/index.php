<?php

declare(strict_types=1);

echo 'index.php itself';
