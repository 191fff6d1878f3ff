<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use PgSql\Connection;

/** Cancels what a connection does at the end of the request: ext/pgsql would wait for the answer before it closes it. */
final readonly class Cancelling
{
    public function __construct(public Connection $connection)
    {
    }

    public function __destruct()
    {
        pg_cancel_query($this->connection);
    }
}
