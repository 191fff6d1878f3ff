<?php

/* What octane:howdah does with howdah/laravel, without Octane: starts `howdah serve`, waits, ends as it ended. */

declare(strict_types=1);

use Howdah\Laravel\HowdahCommand;

foreach (['HowdahFailure', 'ServerProcess', 'HowdahCommand'] as $class) {
    require dirname(__DIR__, 3) . "/packages/laravel/src/$class.php";
}

/** @var list<string> $argv */
$arguments = array_slice($argv, (int) array_search('serve', $argv, true) + 1);
$server = (new HowdahCommand(dirname(__DIR__, 3) . '/bin/howdah'))->serve($arguments, ['OCTANE_TEST' => 'given']);
while ($server->isRunning()) {
    usleep(20_000);
}
exit($server->getExitCode() ?? 255);
