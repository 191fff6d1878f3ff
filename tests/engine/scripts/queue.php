<?php

// Locks on one file, by realms that come one after another. ?way= says what they do while others wait; ?file= which file it is.

declare(strict_types=1);

$n = (int) $_GET['n'];
$file = fopen($_GET['file'], 'a+');
switch ($_GET['way']) {
    case 'order':
        // Whoever has it sleeps; some let go by closing the file.
        flock($file, LOCK_EX);
        usleep(3000);
        fwrite($file, "{$n} ");
        if ($n % 2 === 0) {
            flock($file, LOCK_UN);
        }
        fclose($file);
        break;
    case 'prompt':
        // The first one holds it for 100 ms. Each writes when it got it and, in nanoseconds, when it lets go.
        flock($file, LOCK_EX);
        $got = hrtime(true);
        if ($n === 0) {
            usleep(100_000);
        }
        fwrite($file, $got . ' ' . hrtime(true) . "\n");
        flock($file, LOCK_UN);
        break;
    case 'again':
        // A shared lock, and another one while an exclusive one waits.
        if ($n === 1) {
            usleep(20_000);
            flock($file, LOCK_EX);
            break;
        }
        flock($file, LOCK_SH);
        usleep(40_000);
        flock(fopen($_GET['file'], 'r'), LOCK_SH);
        break;
    case 'change':
        // Those who have a shared lock all want the exclusive one: each drops what it has, as the kernel does.
        flock($file, LOCK_SH);
        usleep(5000);
        flock($file, LOCK_EX);
        usleep(1000);
        flock($file, LOCK_SH);
        flock($file, LOCK_EX);
        break;
}
echo 'done';
