<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Rules\Traffic;

/** A table's statements, as PostgreSQL's pg_stat_statements counts them: what TechEmpower's toolset reads, too. */
final readonly class Statements implements Traffic
{
    /** Setting of a server that counts. */
    public const PRELOAD = 'shared_preload_libraries=pg_stat_statements';

    /** The same for its data. */
    public const EXTENSION = 'CREATE EXTENSION pg_stat_statements;';

    public function __construct(private Postgres $postgres, private string $table)
    {
    }

    public function statements(string $verb): int
    {
        return $this->sum('calls', $verb);
    }

    public function rows(string $verb): int
    {
        return $this->sum('rows', $verb);
    }

    public function contents(): array
    {
        return $this->postgres->numbers("SELECT id, randomnumber FROM $this->table");
    }

    private function sum(string $column, string $verb): int
    {
        $which = "query ~* '^$verb\\M' AND query ~* '\\m$this->table\\M'";

        return $this->postgres->number("SELECT coalesce(sum($column), 0) FROM pg_stat_statements WHERE $which");
    }
}
