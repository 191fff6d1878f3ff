<?php

/** pdo_dblib: a server that takes the connection, and hangs up late (Debian has none that speaks TDS). FreeTDS has no limit for its answer. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        try {
            return new PDO('dblib:host=127.0.0.1:' . Late::port($seconds, '127.0.0.1', '9'), 'sa', 'x');
        } catch (PDOException $exception) {
            return $exception->getMessage();
        }
    }
};
