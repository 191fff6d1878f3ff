<?php

/** Uses an extension of tests/engine/extension; waits between, so that requests overlap where they may. */

declare(strict_types=1);

switch ($_GET['do'] ?? '') {
    case 'counter':
        counter_next();
        usleep(2000);
        echo counter_next(), "\n";
        break;
    case 'local':
        echo local_next(), "\n";
        break;
    case 'made':
        $most = made_enter();
        usleep(2000);
        made_leave();
        echo $most, "\n";
        break;
    case 'block':
        date_default_timezone_set('Asia/Tokyo');
        preg_replace_callback('/a/', static fn (): string => (string) usleep(20_000), 'aa');
        srand(7);
        strtok('a b', ' ');
        echo date('H'), "\n";
        break;
    case 'clean':
        ini_set('clean.step', (string) ($_GET['n'] + 1));
        $first = clean_next();
        new Clean();
        usleep(2000);
        echo $first === $_GET['n'] + 1 && clean_next() === 2 * $first ? 'own' : 'shared', "\n";
        break;
}
