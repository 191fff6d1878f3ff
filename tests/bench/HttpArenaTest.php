<?php

/** HttpArena's rules: who keeps them is believed, and who breaks one is refused by its name before anything is measured. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Rules\Asking;
use Howdah\Bench\Rules\HttpArena;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class HttpArenaTest extends TestCase
{
    private const SIZES = [500 << 10, 2 << 20];

    private static RulesServer $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = new RulesServer('arena.php');
        (new Contender('right', self::$server, Page::saying('/none/baseline11', '0')))->start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    public function test_who_keeps_the_rules_is_believed(): void
    {
        $this->expectNotToPerformAssertions();
        $rules = array_map(static fn (string $profile): HttpArena => self::rules($profile, 'none'), [
            'baseline11',
            'json',
            'async-db',
            'upload',
        ]);
        HttpArena::together(...$rules)->verify(new Asking('right', self::$server->port()));
    }

    /** @return iterable<string, array{string, string, string}> profile, fault, what is said */
    public static function wrong(): iterable
    {
        foreach (['baseline11', 'json', 'async-db', 'upload'] as $profile) {
            yield "$profile: another Content-Type" => [$profile, 'other-type', 'Content-Type is text/html'];
        }
        yield 'baseline: what is expected is written down' => ['baseline11', 'hardcoded', '"55", and not '];
        yield 'baseline: answers are kept' => ['baseline11', 'kept', '"75", and not '];
        yield 'baseline: bodies are not read' => ['baseline11', 'no-body', '"55", and not 75'];
        yield 'baseline: chunks are not read' => ['baseline11', 'no-chunks', '"55", and not 75'];
        yield 'baseline: a request comes in one read' => ['baseline11', 'one-read', '"what?", and not 55'];
        yield 'baseline: a body comes with its head' => ['baseline11', 'no-late-body', '"55", and not 75'];
        foreach (['json', 'async-db'] as $profile) {
            yield "$profile: fewer items" => [$profile, 'fewer', ' items, and not '];
            yield "$profile: another count" => [$profile, 'other-count', 'count is not '];
        }
        yield 'json: other items' => ['json', 'other-items', "is not the dataset's"];
        yield 'json: no total' => ['json', 'no-total', 'total of 0 is wrong'];
        yield 'json: a total without the factor' => ['json', 'no-factor', 'total of 0 is wrong'];
        yield 'async-db: a price out of range' => ['async-db', 'out-of-range', 'a price is out of range'];
        yield 'async-db: no rating' => ['async-db', 'no-rating', 'an item has no rating.score'];
        yield 'async-db: tags as text' => ['async-db', 'tags-as-text', 'the tags of an item are no list'];
        yield 'async-db: active as text' => ['async-db', 'active-as-text', 'an item is not active: true or false'];
        yield 'async-db: items where there are none' => ['async-db', 'never-empty', '50 items, and not 0'];
        yield 'upload: what is expected is written down' => ['upload', 'hardcoded', '"17", and not 48'];
        yield 'upload: bodies are cut' => ['upload', 'cut', '"100000", and not 512000'];
        yield 'upload: what Content-Length claims' => ['upload', 'claimed', '"0", and not 48'];
    }

    #[DataProvider('wrong')]
    public function test_who_breaks_a_rule_is_refused(string $profile, string $fault, string $said): void
    {
        try {
            self::rules($profile, $fault)->verify(new Asking('wrong', self::$server->port()));
        } catch (WrongAnswer $refusal) {
            self::assertStringStartsWith("wrong, /$fault/$profile", $refusal->getMessage());
            self::assertStringContainsString($said, $refusal->getMessage());

            return;
        }
        self::fail("nothing is said of $profile with the fault $fault");
    }

    private static function rules(string $profile, string $fault): HttpArena
    {
        $path = "/$fault/$profile";

        return match ($profile) {
            'baseline11' => HttpArena::baseline("$path?"),
            'json' => HttpArena::json("$path/%d"),
            'async-db' => HttpArena::database("$path?"),
            default => HttpArena::upload($path, self::SIZES),
        };
    }
}
