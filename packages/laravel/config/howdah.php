<?php

declare(strict_types=1);

return [
    // The howdah command: a path, or a name that PATH leads to.
    'binary' => env('HOWDAH_BINARY', 'howdah'),

    // More options of `howdah serve`, as ['--request-timeout=30'].
    'options' => [],
];
