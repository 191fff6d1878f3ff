<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Dying;

/** What a request may hold when it dies: a lock, a connection, temporary files, a child, a database in a transaction. */
final class Held
{
    /** @var array<string, mixed> */
    private array $things;

    /** @var array<string, mixed> */
    private array $names;

    public function __construct(string $folder)
    {
        $lock = fopen("$folder/lock", 'c');
        flock($lock, LOCK_EX);
        $peer = stream_socket_client("unix://$folder/peer");
        fwrite($peer, 'hello');
        $persistent = pfsockopen("unix://$folder/persistent");
        $temporary = tmpfile();
        $child = proc_open(['cat'], [['pipe', 'r'], ['pipe', 'w']], $pipes);
        $database = new \PDO("sqlite:$folder/database");
        $database->exec('create table if not exists t (x)');
        $database->exec('begin immediate; insert into t values (1)');
        $this->things = get_defined_vars();
        $this->names = [
            'temporary' => stream_get_meta_data($temporary)['uri'],
            'child' => proc_get_status($child)['pid'],
            'upload' => $_FILES['upload']['tmp_name'] ?? null,
        ];
        unset($this->things['persistent']);
        // A ring: only a collection, or the end of everything, frees it.
        $this->things['ring'] = $this;
    }

    /** @return array<string, mixed> */
    public function names(): array
    {
        return $this->names;
    }
}
