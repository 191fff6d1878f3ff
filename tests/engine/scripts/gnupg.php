<?php

declare(strict_types=1);

// With ?way=silent the program says nothing, and lives until the runner has ended.
$silent = 'exec tail --sleep-interval=0.02 --pid=' . getmypid() . ' --follow /dev/null';
echo gnupg_run(($_GET['way'] ?? '') === 'silent' ? $silent : "printf 'number {$_GET['n']}'");
