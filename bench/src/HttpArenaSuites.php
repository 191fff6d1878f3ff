<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Closure;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Rules\HttpArena;
use Howdah\Bench\Suite\OnStore;
use Howdah\Bench\Suite\Suite;

/**
 * HttpArena's profiles that PHP entries take part in: its mixes of requests, sent by wrk, since its own load generator is in no
 * distribution. Each server is verified by its rules before it is measured.
 */
final readonly class HttpArenaSuites extends ArenaKit
{
    private const SUM = '/baseline11?a=13&b=42';

    /** Count and factor of what is asked for in turn. */
    private const ITEMS = [1 => 3, 5 => 7, 10 => 2, 15 => 5, 25 => 4, 40 => 8, 50 => 6];

    /** Rows of what is asked for in turn. */
    private const LIMITS = [5, 10, 20, 35, 50];

    /** An answer: each item has a list of tags, and an object that is its rating. */
    private const FIVE = '/^\{"items":\[(\{"id":[^]]+\][^}]+\}[^}]*\},?){5}\],"count":5\}$/D';

    /** Requests of a connection in api-4. */
    private const KEPT = 5;

    /** Bytes. */
    private const BODIES = [500 << 10, 2 << 20, 10 << 20, 20 << 20];

    /** The slowest answers so many requests to its database in a second: each reads a table that has no index. */
    private const TURNS = 50;

    /** The same for bodies. */
    private const BODIES_A_SECOND = 4;

    protected function entry(): string
    {
        return 'HttpArena';
    }

    /** @return list<Suite> */
    public function all(): array
    {
        return [$this->baseline(), $this->json(), $this->database(), $this->api(), $this->upload()];
    }

    private function baseline(): Suite
    {
        $chunked = Answer::request(self::SUM, '20', chunked: true);
        $rotation = [Answer::request(self::SUM), Answer::request(self::SUM, '20'), $chunked];
        $load = $this->turning($rotation, 512, Load::CONNECTIONS_A_SECOND);
        $rules = HttpArena::baseline('/baseline11?');

        return $this->arena('ha-baseline', "HttpArena's baseline", $load, Page::saying(self::SUM, '55'), $rules, self::ALONE);
    }

    private function json(): Suite
    {
        $path = static fn (int $count, int $times): string => "/json/$count?m=$times";
        $paths = array_map($path, array_keys(self::ITEMS), self::ITEMS);
        $load = $this->turning(array_map(Answer::request(...), $paths), 4096, Load::CONNECTIONS_A_SECOND);
        $page = Page::matching($paths[1], self::FIVE);

        return $this->arena('ha-json', "HttpArena's json", $load, $page, HttpArena::json('/json/%d'), self::ALONE);
    }

    private function database(): Suite
    {
        return $this->onItems('ha-async-db', "HttpArena's async-db", function (string $at): Suite {
            $asked = static fn (int $limit): string => Answer::request("/async-db?at=$at&min=10&max=50&limit=$limit");
            $load = $this->turning(array_map($asked, self::LIMITS), 1024, self::TURNS);

            return $this->arena(
                'ha-async-db',
                "HttpArena's async-db",
                $load,
                self::page($at),
                HttpArena::database("/async-db?at=$at&"),
                self::AT_ONCE,
            );
        });
    }

    /** Three sums, three times fifty items and two times fifty rows; each fifth request is its connection's last. */
    private function api(): Suite
    {
        return $this->onItems('ha-api-4', "HttpArena's api-4", function (string $at): Suite {
            $rows = "/async-db?at=$at&min=10&max=50&limit=50";
            $paths = [self::SUM, self::SUM, self::SUM, '/json/50?m=1', '/json/50?m=1', '/json/50?m=1', $rows, $rows];
            $rotation = [];
            for ($number = 1; $number <= self::KEPT * count($paths); $number++) {
                $path = $paths[$number % count($paths)];
                $rotation[] = Answer::request($path, last: $number % self::KEPT === 0);
            }
            $load = $this->turning($rotation, 256, self::TURNS);
            $rules = HttpArena::together(
                HttpArena::baseline('/baseline11?'),
                HttpArena::json('/json/%d'),
                HttpArena::database("/async-db?at=$at&"),
            );

            return $this->arena('ha-api-4', "HttpArena's api-4", $load, self::page($at), $rules, self::AT_ONCE);
        });
    }

    private function upload(): Suite
    {
        $request = static fn (int $size): string => Answer::request('/upload', str_repeat('0123456789abcdef', $size >> 4));
        $load = new Load($this->tools->wrk, 32, turns: self::BODIES_A_SECOND, rotation: array_map($request, self::BODIES));
        $page = Page::saying('/upload', '0');
        $title = "HttpArena's upload, bodies of 500 KB to 20 MB";

        return $this->arena('ha-upload', $title, $load, $page, HttpArena::upload('/upload', self::BODIES), self::ALONE);
    }

    /**
     * @param list<string> $rotation
     * @param int          $connections in a full run: as many as theirs
     */
    private function turning(array $rotation, int $connections, int $turns): Load
    {
        $connections = $this->choices->full ? $connections : self::CONNECTIONS;

        return new Load($this->tools->wrk, $connections, turns: $turns, rotation: $rotation);
    }

    private static function page(string $at): Page
    {
        return Page::matching("/async-db?at=$at&limit=5", self::FIVE);
    }

    /** @param Closure(string): Suite $suite of PostgreSQL's folder */
    private function onItems(string $name, string $title, Closure $suite): Suite
    {
        $postgres = new Postgres(<<<'SQL'
            CREATE TABLE items (
                id integer PRIMARY KEY, name text NOT NULL, category text NOT NULL, price integer NOT NULL,
                quantity integer NOT NULL, active boolean NOT NULL, tags jsonb NOT NULL,
                rating_score integer NOT NULL, rating_count integer NOT NULL
            );
            INSERT INTO items SELECT id, 'Item ' || id, 'category ' || id % 5, 1 + id * 7919 % 500, 1 + id % 99,
                id % 3 > 0, jsonb_build_array('new', 'tag ' || id % 7), 1 + id % 50, 1 + id % 400
                FROM generate_series(1, 100000) AS id;
            ANALYZE;
            SQL);

        return new OnStore($name, $title, $postgres, fn (): Suite => $suite(rawurlencode($postgres->address())));
    }
}
