<?php

/** Doctrine ORM on PostgreSQL: a query that sleeps, or a flush(); statement_timeout is the limit. */

declare(strict_types=1);

use Doctrine\ORM\Query\ResultSetMappingBuilder;
use Howdah\WaitingTests\App\Doctrine;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Word;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $manager = Doctrine::manager(Postgres::slowTable(0));
        foreach (['one', 'two', 'three'] as $index => $word) {
            $manager->persist(new Word($index + 1, $word));
        }
        $manager->flush();
        $manager->clear();
        $mapping = new ResultSetMappingBuilder($manager);
        $mapping->addRootEntityFromClassMetadata(Word::class, 'slow');
        $sql = "SELECT slow.* FROM slow, pg_sleep($seconds) ORDER BY number DESC";
        $words = $manager->createNativeQuery($sql, $mapping)->getResult();

        return array_map(static fn (Word $word): string => $word->word, $words);
    }

    public function limit(float $seconds): mixed
    {
        $manager = Doctrine::manager(Postgres::slowTable(5));
        $manager->getConnection()->executeStatement('SET statement_timeout = ' . (int) ($seconds * 1000));
        $manager->persist(new Word(1, 'one'));
        $manager->flush();

        return null;
    }
};
