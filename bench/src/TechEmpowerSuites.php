<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Closure;
use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Statements;
use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Rules\Fortunes;
use Howdah\Bench\Rules\Greeting;
use Howdah\Bench\Rules\Rules;
use Howdah\Bench\Rules\Traffic;
use Howdah\Bench\Rules\Worlds;
use Howdah\Bench\Suite\OnStore;
use Howdah\Bench\Suite\Suite;

/**
 * TechEmpower's tests: the same plain PHP under every server, verified by the rules of its toolset before it is measured. What
 * the database was asked for is counted under load, too.
 */
final readonly class TechEmpowerSuites extends ArenaKit
{
    /** The most of theirs, in a full run; the least of theirs where requests are pipelined. */
    private const MOST = 512;
    private const PIPELINES = 256;
    private const PIPELINE = 16;

    /** The slowest answers so many requests of 20 queries in a second. */
    private const TURNS = 100;

    /** The most of their table. */
    private const QUERIES = 20;

    private const WORLD = '\{"id":\d+,"randomNumber":\d+\}';

    protected function entry(): string
    {
        return 'TechEmpower';
    }

    /** @return list<Suite> */
    public function all(): array
    {
        $several = '/^\[' . self::WORLD . '(,' . self::WORLD . '){19}\]$/D';

        return [
            $this->json(),
            $this->plaintext(),
            $this->onData('db', 'one query', 'db?', '/^' . self::WORLD . '$/D', 'world', 1, Worlds::one(...)),
            $this->onData('queries', '20 queries', 'queries?queries=', $several, 'world', self::QUERIES, Worlds::several(...)),
            $this->onData(
                'fortunes',
                'a table of HTML',
                'fortunes?',
                '~^<!DOCTYPE html>.*<table>(<tr>.*?</tr>){14}</table>.*</html>$~D',
                'fortune',
                count(Fortunes::MESSAGES),
                static fn (string $path, Traffic $traffic): Rules => new Fortunes($path, $traffic),
            ),
            $this->onData('updates', '20 updates', 'updates?queries=', $several, 'world', self::QUERIES, Worlds::written(...)),
        ];
    }

    private function json(): Suite
    {
        $page = Page::saying('/json', '{"message":"Hello, World!"}');

        return $this->arena('te-json', "TechEmpower's json", $this->most(), $page, Greeting::json('/json'), self::ALONE);
    }

    private function most(): Load
    {
        $connections = $this->choices->full ? self::MOST : self::CONNECTIONS;

        return new Load($this->tools->wrk, $connections, turns: self::TURNS);
    }

    private function plaintext(): Suite
    {
        $path = '/plaintext';
        $pipeline = str_repeat(Answer::request($path), self::PIPELINE);
        $load = new Load($this->tools->wrk, self::PIPELINES, rotation: [$pipeline]);
        $title = "TechEmpower's plaintext, " . self::PIPELINE . ' pipelined';

        $page = Page::saying($path, 'Hello, World!');

        return $this->arena('te-plaintext', $title, $load, $page, Greeting::plain($path), self::ALONE);
    }

    /**
     * @param string                         $path    without ?at=; with a number of queries where it ends with =
     * @param int                            $rows    that a request reads, one for each query where there are several
     * @param Closure(string, Traffic): Rules $rules   of a path
     */
    private function onData(
        string $name,
        string $what,
        string $path,
        string $pattern,
        string $table,
        int $rows,
        Closure $rules,
    ): Suite {
        $postgres = new Postgres(self::data(), [Statements::PRELOAD]);
        $title = "TechEmpower's $name, $what";
        $suite = function () use ($name, $title, $path, $pattern, $table, $rows, $rules, $postgres): Suite {
            $traffic = new Statements($postgres, $table);
            [$test, $number] = explode('?', $path);
            $base = "/$test?at=" . rawurlencode($postgres->address()) . ($number === '' ? '' : "&$number");
            $page = Page::matching($base . ($number === '' ? '' : $rows), $pattern);
            $ledger = new Ledger(['rows of requests' => static fn (): int => intdiv($traffic->rows('select'), $rows)]);

            return $this->arena("te-$name", $title, $this->most(), $page, $rules($base, $traffic), self::AT_ONCE, $ledger);
        };

        return new OnStore("te-$name", $title, $postgres, $suite);
    }

    private static function data(): string
    {
        $sql = Statements::EXTENSION
            . 'CREATE TABLE world (id integer PRIMARY KEY, randomnumber integer NOT NULL);'
            . 'INSERT INTO world SELECT id, 1 + floor(random() * ' . Worlds::ROWS . ')::integer FROM generate_series(1, '
            . Worlds::ROWS . ') AS id;'
            . 'CREATE TABLE fortune (id integer PRIMARY KEY, message varchar(2048) NOT NULL);';
        foreach (Fortunes::MESSAGES as $id => $message) {
            $sql .= "INSERT INTO fortune VALUES ($id, '" . str_replace("'", "''", $message) . "');";
        }

        return "$sql ANALYZE;";
    }
}
