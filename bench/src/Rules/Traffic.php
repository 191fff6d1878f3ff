<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

/** What a database was asked for about one table, counted by the database. */
interface Traffic
{
    /** @param 'select'|'update' $verb how the statements begin that were executed */
    public function statements(string $verb): int;

    /** @param 'select'|'update' $verb of the statements that read or changed them */
    public function rows(string $verb): int;

    /** @return array<int, int> number by id; looking counts, too */
    public function contents(): array;
}
