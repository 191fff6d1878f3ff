<?php

/** pgsqlGetNotify() waits in poll(2) for what another session tells; its own argument is the limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Cancelling;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    /** Of the row: a destructor of a local object may be what is cut short when the request is cancelled. */
    private Cancelling $other;

    public function wait(float $seconds): mixed
    {
        $pdo = Postgres::pdo();
        $channel = 'c' . bin2hex(random_bytes(8));
        $pdo->exec("LISTEN $channel");
        $this->other = new Cancelling(Postgres::connect());
        pg_send_query($this->other->connection, "SELECT pg_sleep($seconds); NOTIFY $channel, 'told'");

        return $pdo->pgsqlGetNotify(PDO::FETCH_ASSOC, 10_000)['payload'];
    }

    public function limit(float $seconds): mixed
    {
        $pdo = Postgres::pdo();
        $pdo->exec('LISTEN nobody_tells');

        return [$pdo->pgsqlGetNotify(PDO::FETCH_ASSOC, (int) ($seconds * 1000)), $pdo->errorInfo()];
    }
};
