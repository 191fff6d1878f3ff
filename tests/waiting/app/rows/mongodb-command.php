<?php

/** php-mongodb: a command that is answered late, by the tests' own server. Limit: socketTimeoutMS. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;
use MongoDB\Driver\Command;
use MongoDB\Driver\Manager;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->sleep($seconds, 30);
    }

    public function limit(float $seconds): mixed
    {
        return $this->sleep(5, $seconds);
    }

    private function sleep(float $seconds, float $limit): mixed
    {
        ['host' => $host, 'port' => $port] = Settings::of('Mongo');
        $manager = new Manager("mongodb://$host:$port/?directConnection=true&socketTimeoutMS=" . $limit * 1000);
        $command = new Command(['sleep' => (int) round($seconds * 1000)]);
        $ping = $manager->executeCommand('admin', new Command(['ping' => 1]))->toArray();

        return [$ping, $manager->executeCommand('admin', $command)->toArray()];
    }
};
