<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_concurrency N adaptive: how many requests are served at once is found out. The controller's own tests are tests/unit/limit_test.c. */
#[Group('realms')]
final class AdaptiveTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    /** As `howdah config` has it, in http. */
    private const CONCURRENCY = 'howdah_concurrency 16;';

    /** Who has stayed for so long does not count (AGE_MIN_US of engine/realm/slots.c). */
    private const PLACE_SECONDS = 1.0;

    private const SHOWN = 'add_header X-Limit $howdah_limit always; howdah_queue 2000;';

    private function limit(Client $client): int
    {
        return (int) $client->get('/')->header('x-limit');
    }

    /**
     * What the pool counted when so many requests, sent at once, had waited.
     *
     * @return list<array{limit: int, busy: int, realms: int, requests: int}>
     */
    private function told(Client $client, int $requests, int $ms): array
    {
        return array_map($this->counts(...), $client->all(array_fill(0, $requests, "/tell?n=$ms")));
    }

    /**
     * The same of requests that wait at a door, which opens when so many are there and all have come.
     *
     * @return list<array{limit: int, busy: int, realms: int, requests: int}>
     */
    private function toldAtDoor(Client $client, int $requests, int $atOnce): array
    {
        $door = new Door();
        $asked = array_map(fn (): Http1 => (new Http1($this->port))->get("/tell?at={$door->path}"), range(1, $requests));
        $door->await($atOnce);
        // nginx has heard of all of them.
        self::assertSame("a file of nginx\n", $client->get('/file.txt')->body);
        $door->open();

        return array_map(fn (Http1 $one): array => $this->counts($one->read()), $asked);
    }

    /** @return array{limit: int, busy: int, realms: int, requests: int} */
    private function counts(?Response $response): array
    {
        self::assertSame(200, $response?->status, $this->log());
        $told = [];
        foreach (['limit', 'busy', 'realms', 'requests'] as $name) {
            $count = $response->json()[$name] ?? null;
            self::assertIsInt($count, $response->body);
            $told[$name] = $count;
        }
        /** @var array{limit: int, busy: int, realms: int, requests: int} $told */
        return $told;
    }

    /** On a busy machine requests do not only wait: then it is right not to rise. */
    #[DataProvider('modes')]
    #[Group('clock')]
    public function test_it_rises_while_requests_only_wait_and_stays_below_its_ceiling(string $mode): void
    {
        $client = $this->serve($mode, self::SHOWN, [self::CONCURRENCY => 'howdah_concurrency 60 adaptive=2;']);
        self::assertSame(16, $this->limit($client), $this->log());

        $seen = [16];
        for ($rounds = 0; $rounds < 60 && max($seen) < 60; ++$rounds) {
            foreach ($this->told($client, 300, 20) as $told) {
                $seen[] = $told['limit'];
                self::assertLessThanOrEqual(60, $told['realms']);
            }
        }

        self::assertLessThanOrEqual(60, max($seen));
        self::assertGreaterThanOrEqual(2, min($seen));
        if (max($seen) <= 32) {
            Clock::late('it rises above 32, not only to ' . max($seen) . ": {$this->log()}");
        }
    }

    #[DataProvider('modes')]
    public function test_no_more_requests_are_served_at_once_than_it_says(string $mode): void
    {
        $client = $this->serve($mode, self::SHOWN, [self::CONCURRENCY => 'howdah_concurrency 60 adaptive;']);

        $clock = Clock::start();
        $told = $this->toldAtDoor($client, 32, 16);

        // Until 16 have finished it cannot have moved.
        usort($told, static fn (array $a, array $b): int => $a['requests'] <=> $b['requests']);
        $first = array_slice($told, 0, 16);
        $most = [max(0, ...array_column($first, 'busy')), max(0, ...array_column($first, 'realms'))];
        if ([array_column($first, 'limit'), $most] !== [array_fill(0, 16, 16), [16, 16]]) {
            $clock->assertWithin(self::PLACE_SECONDS, 'nobody has stayed for long, and given its place up');
        }
        self::assertSame(array_fill(0, 16, 16), array_column($first, 'limit'), $this->log());
        self::assertSame([16, 16], $most);
    }

    #[DataProvider('modes')]
    public function test_without_the_word_it_is_fixed(string $mode): void
    {
        $client = $this->serve($mode, self::SHOWN, [self::CONCURRENCY => 'howdah_concurrency 24;']);

        $told = $this->toldAtDoor($client, 300, 24);

        self::assertSame([24], array_values(array_unique(array_column($told, 'limit'))), $this->log());
        self::assertSame(24, max(0, ...array_column($told, 'busy')));
        self::assertSame(24, $this->limit($client));
    }

    /** They have all the places there are at first, and stay. */
    #[DataProvider('modes')]
    public function test_requests_that_stay_for_long_do_not_keep_others_waiting(string $mode): void
    {
        $client = $this->serve($mode, self::SHOWN, [self::CONCURRENCY => 'howdah_concurrency 100 adaptive;']);

        $door = new Door();
        $stay = array_map(fn (): Http1 => (new Http1($this->port))->get("/door?at={$door->path}"), range(1, 60));
        $door->await(16);

        $quick = $client->get('/');
        $door->open();

        self::assertSame(['front page', 200], [$quick->body, $quick->status], $this->log());
        $answers = array_map(static fn (Http1 $one): ?string => $one->read()?->body, $stay);
        self::assertSame(array_fill(0, 60, 'opened'), $answers);
    }

    #[DataProvider('modes')]
    public function test_a_reload_under_load_loses_no_request(string $mode): void
    {
        $client = $this->serve($mode, self::SHOWN, [self::CONCURRENCY => 'howdah_concurrency 60 adaptive=2;']);
        self::assertSame(16, $this->limit($client), $this->log());
        $sent = 0;
        $first = $this->workers();

        // The second one when the first one's worker is there; with it come half of the requests.
        $reload = function () use (&$sent, $first): void {
            if ($sent === 0 || ($sent === 1 && array_diff($this->workers(), $first) !== [])) {
                ++$sent;
                $this->reload();
            }
        };
        $isSecond = static function () use (&$sent): bool {
            return $sent === 2;
        };
        $later = array_fill(0, 200, ['/wait?n=50', [], $isSecond]);
        $responses = $client->all([...array_fill(0, 200, '/wait?n=50'), ...$later], $reload);

        foreach ($responses as $response) {
            if ($response->status === 0) {
                Clock::assertAtMost(Crowd::QUIET_SECONDS, $response->seconds, 'a request follows its connection');
            }
        }
        $answers = array_map(static fn (Response $response): string => "$response->status $response->body", $responses);
        self::assertSame(['200 waited'], array_values(array_unique($answers)), $this->log());
        self::assertGreaterThanOrEqual(2, $this->limit($client));
    }

    public function test_serve_has_an_option_for_it(): void
    {
        $config = Howdah::run(['config', self::APP, '--concurrency=32', '--adaptive=3']);

        self::assertStringContainsString('howdah_concurrency 32 adaptive=3;', $config->output);
    }

    /** @return array<string, array{string, string}> */
    public static function mistakes(): array
    {
        $bounds = '"adaptive=MIN" must be a number from 1 to 16, not';

        return [
            'above the ceiling' => ['16 adaptive=17', "$bounds \"adaptive=17\"; lower it, or raise 16"],
            'nothing' => ['16 adaptive=0', "$bounds \"adaptive=0\""],
            'no number' => ['16 adaptive=x', "$bounds \"adaptive=x\""],
            'empty' => ['16 adaptive=', "$bounds \"adaptive=\""],
            'another word' => [
                '16 sometimes',
                '"howdah_concurrency" takes "adaptive" or "adaptive=MIN" behind its number, not "sometimes"',
            ],
            'more of the word' => ['16 adaptively', 'behind its number, not "adaptively"'],
            'a ceiling out of range' => [
                '10001 adaptive',
                '"howdah_concurrency" must be a number from 1 to 10000, not "10001"',
            ],
            'too much' => ['16 adaptive=2 fast', 'invalid number of arguments in "howdah_concurrency" directive'],
        ];
    }

    #[DataProvider('mistakes')]
    public function test_what_is_wrong_is_refused_with_its_reason(string $value, string $said): void
    {
        $this->start('classic', '', [self::CONCURRENCY => "howdah_concurrency $value;"]);

        self::assertTrue($this->ends());
        self::assertStringContainsString($said, $this->log());
    }

    public function test_it_cannot_be_below_what_is_kept_warm(): void
    {
        $this->start('classic', '', [self::CONCURRENCY => 'howdah_concurrency 4 adaptive; howdah_warm 5;']);

        self::assertTrue($this->ends());
        self::assertStringContainsString('"howdah_warm" is 5, more than "howdah_concurrency" 4', $this->log());
    }
}
