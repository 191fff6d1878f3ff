<?php

declare(strict_types=1);

// With ?way=silent the program says nothing, and lives until the runner has ended.
$silent = 'exec tail --sleep-interval=0.02 --pid=' . getmypid() . ' --follow /dev/null';
if (gnupg_looked() !== 1) {
    exit('gpg is looked for by a request');
}
echo gnupg_run(($_GET['way'] ?? '') === 'silent' ? $silent : "printf 'number {$_GET['n']}'");
