<?php

// Goes to and fro between locales: all categories at once, one at a time, by composite names, to one that does not exist.

declare(strict_types=1);

for ($i = 0; $i < 20; ++$i) {
    setlocale(LC_ALL, 'C.UTF-8');
    setlocale(LC_ALL, 'C');
    setlocale(LC_NUMERIC, 'C.UTF-8');
    setlocale(LC_ALL, 'no_SUCH');
    setlocale(LC_ALL, (string) setlocale(LC_ALL, '0'));
    setlocale(LC_CTYPE, 'C');
    setlocale(LC_ALL, 'C');
}
echo 'ok';
