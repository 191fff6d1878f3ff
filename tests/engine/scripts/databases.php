<?php

// A limit that can only be lowered, a folder, a database in memory that has a name: each request's own.

declare(strict_types=1);

$number = (int) $_GET['n'];
$database = new PDO('sqlite:file:howdah?mode=memory&cache=shared');
$limit = static fn (): int => (int) $database->query('PRAGMA hard_heap_limit')->fetchColumn();
$before = $limit();
$expected = $number % 2 === 0 ? 0 : 1_000_000_000 + $number;
if ($expected !== 0) {
    $database->exec("PRAGMA hard_heap_limit = $expected; PRAGMA temp_store_directory = '/tmp'");
}
$database->exec("CREATE TABLE t (mark); INSERT INTO t VALUES ($number)");
usleep(500);
$again = new PDO('sqlite:file:howdah?mode=memory&cache=shared');
$seen = $again->query('SELECT mark FROM t')->fetchAll(PDO::FETCH_COLUMN);
$now = $limit();
echo $before === 0 && $now === $expected && $seen === [$number] ? 'own' : "before $before, now $now, " . json_encode($seen);
