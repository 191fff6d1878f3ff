<?php

// What a realm makes of php.ini at its birth, and what a request may do with it.

declare(strict_types=1);

switch ($_GET['what'] ?? '') {
    case 'all':
        // Sorts the table of settings in place.
        echo count(ini_get_all() ?: []) > 50 ? 'done' : 'too few';
        break;
    case 'gc':
        // Possible roots for a collector that is off, and has no buffer for them.
        for ($i = 0; $i < 1000; $i++) {
            $cycle = new stdClass();
            $cycle->self = $cycle;
            $cycle = null;
        }
        echo gc_collect_cycles() === 0 && !gc_enabled() ? 'done' : 'it is on';
        break;
    case 'encoding':
        // A source in ISO-8859-1.
        $path = (string) tempnam(sys_get_temp_dir(), 'howdah');
        file_put_contents($path, "<?php return bin2hex('\xe4');");
        $text = include $path;
        unlink($path);
        echo $text === 'c3a4' ? 'done' : "not converted: {$text}";
        break;
}
