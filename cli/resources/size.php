<?php

/* Run by howdah-run: how much memory this process has, in bytes, and in how many maps. */

preg_match_all('/^(?<name>VmSize|RssAnon):\s+(?<kb>\d+) kB$/m', (string) file_get_contents('/proc/self/status'), $match);
$bytes = array_combine($match['name'], array_map(static fn (string $kb): int => 1024 * (int) $kb, $match['kb']));
printf(
    "size maps=%d address_space=%d private=%d\n",
    substr_count((string) file_get_contents('/proc/self/maps'), "\n"),
    $bytes['VmSize'] ?? 0,
    $bytes['RssAnon'] ?? 0,
);
