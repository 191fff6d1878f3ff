<?php

/**
 * php-mongodb: no server is to be had, as the only one does not answer. The wait is connectTimeoutMS. Limit: libmongoc gives up
 * after the first attempt, or the half second between two, that ends later than serverSelectionTimeoutMS.
 */

declare(strict_types=1);

use Howdah\WaitingTests\App\Late;
use Howdah\WaitingTests\App\Row;
use MongoDB\Driver\Command;
use MongoDB\Driver\Exception\ConnectionTimeoutException;
use MongoDB\Driver\Manager;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        try {
            return $this->ping('connectTimeoutMS', $seconds);
        } catch (ConnectionTimeoutException $exception) {
            return $exception->getMessage();
        }
    }

    public function limit(float $seconds): mixed
    {
        $connect = (int) ($seconds * 450);

        try {
            return $this->ping("serverSelectionTryOnce=false&connectTimeoutMS=$connect&serverSelectionTimeoutMS", $seconds);
        } catch (ConnectionTimeoutException $exception) {
            // It has two texts for that, and a hair's breadth decides between them.
            return str_ireplace('`serverSelectionTimeoutMS` timed out', '`serverSelectionTimeoutMS` expired', $exception->getMessage());
        }
    }

    private function ping(string $option, float $seconds): mixed
    {
        $port = Late::silentPort();
        // A client of its own: after a server has not answered, a shared one does not ask again for 5 s.
        $own = ['disableClientPersistence' => true];
        $manager = new Manager("mongodb://127.0.0.1:$port/?$option=" . $seconds * 1000, [], $own);

        return $manager->executeCommand('admin', new Command(['ping' => 1]))->toArray();
    }
};
