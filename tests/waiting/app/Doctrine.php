<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use Doctrine\DBAL\Connection;
use Doctrine\DBAL\DriverManager;
use Doctrine\ORM\Configuration;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\Mapping\Driver\AttributeDriver;

/** Rows on Doctrine, with Component\Postgres. */
final class Doctrine
{
    public static function connection(): Connection
    {
        Libraries::load();
        ['host' => $host, 'port' => $port] = Settings::of('Postgres');

        return DriverManager::getConnection([
            'driver' => 'pdo_pgsql',
            'host' => $host,
            'port' => (int) $port,
            'user' => 'postgres',
            'dbname' => 'postgres',
            'sslmode' => 'disable',
        ]);
    }

    /** @param string $sql what is made first in its connection */
    public static function manager(string $sql): EntityManager
    {
        $connection = self::connection();
        $connection->executeStatement($sql);
        $configuration = new Configuration();
        $configuration->setMetadataDriverImpl(new AttributeDriver([__DIR__]));
        $configuration->setProxyDir(Settings::folder());
        $configuration->setProxyNamespace('WaitingProxies');

        return new EntityManager($connection, $configuration);
    }
}
