<?php

declare(strict_types=1);

array_map(static fn (string $file) => require $file, [__FILE__]);
