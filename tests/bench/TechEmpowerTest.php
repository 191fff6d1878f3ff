<?php

/** TechEmpower's rules: who keeps them is believed, and who breaks one is refused by its name before anything is measured. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Rules\Asking;
use Howdah\Bench\Rules\Fortunes;
use Howdah\Bench\Rules\Greeting;
use Howdah\Bench\Rules\Rules;
use Howdah\Bench\Rules\Worlds;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class TechEmpowerTest extends TestCase
{
    private const TESTS = ['json', 'plaintext', 'db', 'queries', 'fortunes', 'updates'];

    private static RulesServer $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = new RulesServer();
        (new Contender('right', self::$server, Page::saying('/none/plaintext', 'Hello, World!')))->start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    /** @return iterable<string, array{string, string}> test and fault */
    public static function right(): iterable
    {
        foreach (self::TESTS as $test) {
            yield $test => [$test, 'none'];
        }
        yield 'updates in one statement' => ['updates', 'bulk'];
    }

    #[DataProvider('right')]
    public function test_who_keeps_the_rules_is_believed(string $test, string $fault): void
    {
        $this->expectNotToPerformAssertions();
        self::rules($test, $fault)->verify(new Asking('right', self::$server->port()));
    }

    /** @return iterable<string, array{string, string, string}> test, fault, what is said */
    public static function wrong(): iterable
    {
        foreach (self::TESTS as $test) {
            yield "$test: a status" => [$test, 'status', 'status 500'];
            yield "$test: an empty body" => [$test, 'empty', 'the body is empty'];
            yield "$test: no Server" => [$test, 'no-server', 'the header Server is missing'];
            yield "$test: no Date" => [$test, 'no-date', 'the header Date is missing'];
            yield "$test: no Content-Type" => [$test, 'no-type', 'the header Content-Type is missing'];
            yield "$test: another Content-Type" => [$test, 'other-type', 'Content-Type is "text/xml"'];
            yield "$test: no length" => [$test, 'no-length', 'no whole answer came'];
            yield "$test: an old Date" => [$test, 'old-date', 'Date is cached'];
        }
        yield 'a Date that is kept' => ['json', 'cached-date', 'Date is cached'];
        yield 'a Date that is none' => ['json', 'no-real-date', 'Date is "today"'];
        foreach (['json', 'db', 'queries', 'updates'] as $test) {
            yield "$test: no JSON" => [$test, 'no-json', 'the body is no JSON'];
        }
        yield 'json: another message' => ['json', 'other-message', 'hello, moon!'];
        yield 'json: more keys' => ['json', 'more-keys', '"more":1'];
        yield 'json: a list' => ['json', 'list', 'the object is ['];
        yield 'plaintext: more bytes' => ['plaintext', 'longer', "the text is \"hello, world!\n\""];
        yield 'db: a list' => ['db', 'listed', 'the keys of a world are 0'];
        foreach (['db', 'queries', 'updates'] as $test) {
            yield "$test: a number as text" => [$test, 'text', 'randomnumber is "17"'];
            yield "$test: a number beyond the table" => [$test, 'large', 'randomnumber is 10001'];
            yield "$test: a key is missing" => [$test, 'no-number', 'the keys of a world are id'];
            yield "$test: a key more" => [$test, 'more-keys', 'the keys of a world are id, more, randomnumber'];
            yield "$test: more queries" => [$test, 'many-queries', ' queries, and not '];
            yield "$test: fewer rows" => [$test === 'db' ? 'queries' : $test, 'few-rows', ' rows read, and not 1280'];
        }
        foreach (['queries', 'updates'] as $test) {
            yield "$test: worlds from a cache" => [$test, 'cached', ' queries, and not '];
            yield "$test: no list" => [$test, 'object', 'the JSON is no list'];
            yield "$test: more than 500" => [$test, 'unbound-above', '501: 501 worlds, and not 500'];
            yield "$test: none" => [$test, 'unbound-below', 'queries=0: 0 worlds, and not 1'];
            yield "$test: a word" => [$test, 'no-word', 'queries=foo: 2 worlds, and not 1'];
        }
        yield 'updates: nothing is written' => ['updates', 'unwritten', '0 numbers are new in the database, and not 450'];
        yield 'updates: fewer rows are written' => ['updates', 'few-updated', '1152 rows updated, and not 1280'];
        yield 'updates: fewer rows in one statement' => ['updates', 'few-in-bulk', '1152 rows updated, and not 1216'];
        yield 'fortunes: from a cache' => ['fortunes', 'cached', '0 queries, and not 64'];
        yield 'fortunes: fewer rows' => ['fortunes', 'few-rows', '64 rows read, and not 768'];
        yield 'fortunes: one is not added' => ['fortunes', 'not-added', 'has "3" where "0" has to be'];
        yield 'fortunes: not sorted' => ['fortunes', 'unsorted', 'has "0" where "11" has to be'];
        yield 'fortunes: not escaped' => ['fortunes', 'unescaped', 'the page has "alert('];
        yield 'fortunes: no title' => ['fortunes', 'untitled', '"<title>" has to be'];
        yield 'fortunes: no doctype' => ['fortunes', 'no-doctype', '"<!doctype html>" has to be'];
    }

    #[DataProvider('wrong')]
    public function test_who_breaks_a_rule_is_refused(string $test, string $fault, string $said): void
    {
        try {
            self::rules($test, $fault)->verify(new Asking('wrong', self::$server->port()));
        } catch (WrongAnswer $refusal) {
            self::assertStringStartsWith("wrong, /$fault/$test", $refusal->getMessage());
            self::assertStringContainsString($said, $refusal->getMessage());

            return;
        }
        self::fail("nothing is said of $test with the fault $fault");
    }

    /** The rules are part of a start: who breaks one has no figures, as TakingPart has it of all who do not start. */
    public function test_a_contender_that_breaks_a_rule_does_not_start(): void
    {
        $page = Page::saying('/none/plaintext', 'Hello, World!');
        $contender = new Contender('wrong', new RulesServer(), $page, rules: Greeting::plain('/no-date/plaintext'));

        try {
            $this->expectException(WrongAnswer::class);
            $contender->start();
        } finally {
            $contender->stop();
        }
    }

    private static function rules(string $test, string $fault): Rules
    {
        $path = "/$fault/$test";

        return match ($test) {
            'json' => Greeting::json($path),
            'plaintext' => Greeting::plain($path),
            'db' => Worlds::one($path, self::$server),
            'queries' => Worlds::several("$path?queries=", self::$server),
            'updates' => Worlds::written("$path?queries=", self::$server),
            default => new Fortunes($path, self::$server),
        };
    }
}
