<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use Doctrine\ORM\Mapping\Column;
use Doctrine\ORM\Mapping\Entity;
use Doctrine\ORM\Mapping\Id;
use Doctrine\ORM\Mapping\Table;

/** A row of the table that Postgres::slowTable() makes. */
#[Entity]
#[Table('slow')]
class Word
{
    public function __construct(
        #[Id, Column]
        public int $number,
        #[Column]
        public string $word,
    ) {
    }
}
