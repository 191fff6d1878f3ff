<?php

/** What one request asks and gets through ext/snmp's library, while others do: `?n=NUMBER`. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Settings;

require_once dirname(__DIR__) . '/autoload.php';

$number = is_string($_GET['n']) ? (int) $_GET['n'] : -1;
['host' => $host, 'base' => $base] = Settings::of('Snmp');
$snmp = new SNMP(SNMP::VERSION_2c, $host, 'public', 60_000_000, 0);
$snmp->quick_print = $number % 2 === 0;
$values = [];
for ($time = 1; $time <= 3; ++$time) {
    $values[] = @$snmp->get("$base." . (10 + $number));
}

echo "$number: ", json_encode([$values, $snmp->getError()]), "\n";
