<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Race;

use function Howdah\HttpTests\stickAtCork;

require_once dirname(__DIR__, 2) . '/http/door.php';

/** What WakeTest asks for: two statements to a database, which is the test, behind a look-up of a name. */
function act(): void
{
    if ($_GET['do'] === 'block') {
        stickAtCork(query('at'));

        return;
    }
    $database = stream_socket_client('unix://' . query('database'));
    assert($database !== false);
    stream_set_timeout($database, 600);
    fwrite($database, query('number') . "\n");
    if (query('name') !== '') {
        $address = gethostbyname(query('name'));
        fwrite($database, "woken by $address\n");
        // Nobody else runs before the test says so.
        stickAtCork(query('at'));
    }
    foreach (['DELETE', 'INSERT'] as $statement) {
        fwrite($database, "$statement\n");
        echo fgets($database);
    }
}

function query(string $name): string
{
    return is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
}
