<?php

/** LISTEN, stream_select() on pg_socket() and pg_get_notify(): the select's argument is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Cancelling;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    /** Of the row: a destructor of a local object may be what is cut short when the request is cancelled. */
    private Cancelling $other;

    public function wait(float $seconds): mixed
    {
        $channel = 'c' . bin2hex(random_bytes(8));
        $connection = Postgres::connect();
        pg_query($connection, "LISTEN $channel");
        $this->other = new Cancelling(Postgres::connect());
        pg_send_query($this->other->connection, "SELECT pg_sleep($seconds); NOTIFY $channel, 'told'");

        return [Postgres::select($connection, 10), pg_get_notify($connection, PGSQL_ASSOC)['payload']];
    }

    public function limit(float $seconds): mixed
    {
        $connection = Postgres::connect();
        pg_query($connection, 'LISTEN nobody_tells');

        return [Postgres::select($connection, $seconds), pg_get_notify($connection, PGSQL_ASSOC)];
    }
};
