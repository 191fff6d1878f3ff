<?php

declare(strict_types=1);

namespace Howdah\Combined;

use Howdah\HttpTests\Client;
use Howdah\HttpTests\Response;
use Howdah\HttpTests\Sanitized;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/** All modules that Debian has for nginx, loaded at once: random pages through them are what they are with php-fpm behind. */
final class FiltersTest extends TestCase
{
    private const PAGES = 200;
    private const CLIENTS = 16;

    /** One of ten breaks off, and some have no answer behind php-fpm. */
    private const COMPARED = 120;

    /** The same in each run; HOWDAH_SEED chooses another one. */
    private const SEED = 20261123;

    private const READABLE = JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

    /** Bytes of each side of a difference. */
    private const TOLD = 800;

    /** Whether php-fpm's answer changes is asked so often. */
    private const TIMES = 10;

    private string $folder;
    private ?Site $site = null;

    protected function setUp(): void
    {
        if (Sanitized::hasNginx()) {
            Sanitized::choose();
        }
        $this->folder = sys_get_temp_dir() . '/howdah-filters-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        chmod($this->folder, 0777);
    }

    protected function tearDown(): void
    {
        $this->site?->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return array<string, array{int}> */
    public static function seeds(): array
    {
        $named = getenv('HOWDAH_SEED');
        $first = is_string($named) && $named !== '' ? (int) $named : self::SEED;

        $seeds = range($first, $first + (int) (getenv('HOWDAH_ROUNDS') ?: 1) - 1);

        return array_combine(
            array_map(static fn (int $seed) => "HOWDAH_SEED=$seed", $seeds),
            array_map(static fn (int $seed) => [$seed], $seeds),
        );
    }

    #[DataProvider('seeds')]
    public function test_pages_through_all_modules_are_those_of_fpm(int $seed): void
    {
        $random = new Randomizer(new Mt19937($seed));
        $locations = new Locations($this->folder, $random);
        $this->site = new Site($this->folder, $locations);
        $worker = $this->site->worker();
        $pages = new Pages($locations, $random);
        $differences = [];
        $compared = 0;
        for ($asked = 0; $asked < self::PAGES; $asked += self::CLIENTS) {
            $lot = array_map(static fn () => $pages->next(), range(1, self::CLIENTS));
            $answers = [$this->ask('howdah', $lot)];
            // Before what it has broken is compared, again and again.
            $told = implode("\n", $this->site->complaints()) . "\n" . substr($this->site->log(), -4000);
            self::assertSame($worker, $this->site->worker(), "the worker died:\n$told");
            $answers[] = $this->ask('fpm', $lot);
            foreach ($lot as $number => $page) {
                [$ours, $theirs] = [self::told($answers[0][$number]), self::told($answers[1][$number])];
                // Stock nginx closes the connection, or says 502, where a filter refuses php-fpm's answer at some moments.
                if ($page['leaves'] || in_array($answers[1][$number]->status, [0, 502], true)) {
                    continue;
                }
                ++$compared;
                if ($ours !== $theirs && $this->isSettled($lot, $number, $theirs)) {
                    $differences[] = self::tell($page, $locations->all[(int) substr($page['uri'], 1)], $ours, $theirs);
                }
            }
        }
        self::assertSame([], $differences, "HOWDAH_SEED=$seed\n" . substr($this->site->log(), -4000));
        self::assertGreaterThan(self::COMPARED, $compared, 'pages that php-fpm answered to the end');
        self::assertSame([], $this->site->complaints());
        $this->assertNothingIsLeft($this->site);
    }

    /**
     * @param list<array{uri: string, second: bool, options: array<int, mixed>, leaves: bool}> $lot
     *
     * @return list<Response>
     */
    private function ask(string $which, array $lot): array
    {
        assert($this->site !== null);
        $answers = [];
        foreach ([false, true] as $second) {
            $chosen = array_filter($lot, static fn (array $page) => $page['second'] === $second);
            $requests = array_map(
                static fn (array $page) => [$page['uri'], $page['options'] + [Client::MAY_BREAK => true]],
                array_values($chosen),
            );
            $all = $requests === [] ? [] : $this->site->client($which, $second)->all($requests);
            $answers += array_combine(array_keys($chosen), $all);
        }
        ksort($answers);

        return array_values($answers);
    }

    /**
     * Whether php-fpm gives the same answer each time. Some modules answer by chance: in how many pieces it came, and when.
     *
     * @param list<array{uri: string, second: bool, options: array<int, mixed>, leaves: bool}> $lot
     * @param array<string, mixed>                                                             $first its first answer
     */
    private function isSettled(array $lot, int $number, array $first): bool
    {
        for ($times = 0; $times < self::TIMES; ++$times) {
            if (self::told($this->ask('fpm', $lot)[$number]) !== $first) {
                return false;
            }
        }

        return true;
    }

    /**
     * @return array<string, mixed> what of an answer does not tell the time, nor how it came in pieces. Of one that broke off
     *                              a client has more or less, by chance
     */
    private static function told(Response $answer): array
    {
        if ($answer->error !== '') {
            return ['status' => 'broken off'];
        }
        $changing = ['date', 'expires', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'];
        $head = array_diff_key($answer->headers, array_flip($changing));

        return ['status' => $answer->status, 'head' => $head, 'body' => $answer->body];
    }

    /**
     * @param array{uri: string, options: array<int, mixed>} $page
     * @param array<string, string>                          $location
     * @param array<string, mixed>                           $ours
     * @param array<string, mixed>                           $theirs
     */
    private static function tell(array $page, array $location, array $ours, array $theirs): string
    {
        $short = static fn (array $told): string => substr(json_encode($told, self::READABLE), 0, self::TOLD);

        return "$page[uri] in {$location['mode']} mode, with {$location['settings']}\nasked with "
            . substr(json_encode(array_filter($page['options'], is_scalar(...)), self::READABLE), 0, self::TOLD)
            . "\nHowdah: {$short($ours)}\nphp-fpm: {$short($theirs)}\n";
    }

    /** Every realm is free, and nginx has no connection but the one that asks. */
    private function assertNothingIsLeft(Site $site): void
    {
        $used = [];
        Clock::await(static function () use ($site, &$used): bool {
            preg_match('/Active connections: (\d+)/', $site->client('howdah')->get('/stub')->body, $found);
            $used = [$found[1] ?? '', $site->client('howdah')->get('/inc/page.php?kind=status')->json()['busy'] ?? null];

            return $used === ['1', 1];
        }, static function () use (&$used): string {
            return 'only the connection and the realm of who asks are in use, not ' . json_encode($used);
        });
    }
}
