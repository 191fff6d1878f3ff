<?php

/** What RowLockTest asks for: rows of a database that a transaction locks, maybe from code that runs inside a compilation. */

declare(strict_types=1);

namespace Howdah\WaitingTests\Locks;

use Howdah\WaitingTests\App\MariaDb;
use Howdah\WaitingTests\App\Postgres;
use Howdah\WaitingTests\App\Settings;
use PDO;
use PDOException;
use RuntimeException;

/**
 * `rows=1,2` are locked one after the other, between two of them waits for `await`; `in=compilation`: by the error handler of a
 * file that is being compiled; it has them until there is a file `until`. `error` is an SQLSTATE.
 *
 * @return array<string, int|string>
 */
function rows(): array
{
    if (parameter('in') !== 'compilation') {
        return transaction();
    }
    $told = [];
    set_error_handler(static function () use (&$told): bool {
        $told = transaction();

        return true;
    }, E_DEPRECATED);
    // The compiler tells of it.
    compile('($first = 1, $second)');
    restore_error_handler();

    return $told ?: throw new RuntimeException('the compiler has told nothing');
}

/** A file of its own, which is not in opcache. */
function compile(string $parameters): void
{
    $name = 'made' . bin2hex(random_bytes(8));
    $file = Settings::folder() . "/$name.php";
    file_put_contents($file, "<?php function $name$parameters {} return '$name';");
    if ((include $file) !== $name) {
        throw new RuntimeException('included what is not its own');
    }
}

/** @return array<string, int|string> */
function transaction(): array
{
    $database = parameter('database') === 'postgres' ? Postgres::pdo() : MariaDb::pdo();
    $rows = array_map(intval(...), explode(',', parameter('rows')));
    $database->beginTransaction();
    try {
        foreach ($rows as $number => $row) {
            if ($number > 0) {
                await(parameter('await'));
            }
            touch(file() . '-asks');
            lockRow($database, $row);
            touch(Settings::folder() . "/row-$row");
        }
    } catch (PDOException $thrown) {
        $database->rollBack();

        return ['error' => (string) $thrown->getCode()];
    }
    $had = hrtime(true);
    if (parameter('until') !== '') {
        await(parameter('until'));
    }
    compile('()');
    $free = hrtime(true);
    $database->commit();

    return ['had' => $had, 'free' => $free];
}

function lockRow(PDO $database, int $row): void
{
    $found = $database->query("SELECT number FROM locked WHERE number = $row FOR UPDATE");
    if ($found === false || (int) $found->fetchColumn() !== $row) {
        throw new RuntimeException("there is no row $row");
    }
}

function await(string $name): void
{
    $file = Settings::folder() . "/$name";
    for ($tries = 0; !file_exists($file); ++$tries) {
        if ($tries > 12_000) {
            throw new RuntimeException("$name did not come");
        }
        usleep(5_000);
        clearstatcache();
    }
}
