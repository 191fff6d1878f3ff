<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** howdah_slow: what is written of slow requests, in the words of php-fpm's slow log. */
#[Group('realms')]
final class SlowLogTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const DATE = '\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d\]';

    private const SECONDS = '\d+\.\d{3} s';

    /** php-fpm's: an empty line before each entry, two blanks behind the date. */
    private const HEAD = '\n' . self::DATE . '  \[pool default\] pid \d+\n';

    private const REQUEST = 'request = [A-Z]+ \S+, client 127\.0\.0\.1, realm \d+';

    private const FRAME = '\[0x[0-9a-f]{16}\] \S+\(\) \S.*:\d+\n';

    private const FIRST = self::HEAD . 'script_filename = .*\n' . self::REQUEST . '.*\nslow = .*\n(?:' . self::FRAME . ')*';

    private const LAST = self::HEAD . 'ended = .*\n' . self::REQUEST . '.*, status \d+\n(?:waited = .*\n)*';

    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--ini=ffi.enable=1'];
    }

    private function file(): string
    {
        return "{$this->folder}/slow log";
    }

    private function text(): string
    {
        return (string) file_get_contents($this->file());
    }

    private function directives(string $time = '10ms'): string
    {
        return "howdah_slow $time; howdah_slow_log \"{$this->file()}\"; location /figures { howdah_status; }";
    }

    private function awaitText(string $pattern): void
    {
        Clock::await(
            fn (): bool => preg_match($pattern, $this->text()) === 1,
            fn (): string => "$pattern in {$this->text()}; the error log: {$this->log()}",
        );
    }

    #[DataProvider('modes')]
    public function test_it_tells_where_a_request_waits_and_at_its_end_where_its_time_went(string $mode): void
    {
        $client = $this->serve($mode, $this->directives());
        $door = new Door();
        $slow = (new Http1($this->port))->get("/door?at={$door->path}");
        $script = $mode === 'worker' ? 'pool/\S*' : 'pool/public/index\.php';
        $place = 'fgets\(\) \S+/door\.php:\d+';
        $peer = 'unix:' . preg_quote($door->path, '~');
        $first = self::HEAD . "script_filename = \S+/$script\n" . self::REQUEST . ', request_id [0-9a-f]{32}\n'
            . 'slow = ' . self::SECONDS . ", waits for $peer since " . self::SECONDS . ", at $place\n"
            . "\[0x[0-9a-f]{16}\] $place\n"
            . '\[0x[0-9a-f]{16}\] Howdah\\\\HttpTests\\\\waitAtDoor\(\) \S+/actions\.php:\d+\n(?:' . self::FRAME . ')+';
        $this->awaitText("~^$first$~D");
        $door->open();
        self::assertSame('opened', $slow->read()?->body);
        $waited = "waited = " . self::SECONDS . " for $peer(?:, \d+ times, .* at most)?, at $place\n";
        $last = self::HEAD . 'ended = ' . self::SECONDS . ', of it waited ' . self::SECONDS . ', computed ' . self::SECONDS
            . '; before it, in the queue ' . self::SECONDS . '\n' . self::REQUEST . ', request_id [0-9a-f]{32}, status 200\n'
            . "(?:waited = .*\n)*$waited(?:waited = .*\n)*";
        $this->awaitText("~^$first$last$~D");

        $figure = "~^howdah_requests_slow_total\{pool=\"default\",mode=\"$mode\"\} 1$~m";
        self::assertMatchesRegularExpression($figure, $client->get('/figures')->body);
        self::assertMatchesRegularExpression('~"slow requests":1[,}]~', $client->get('/figures?json')->body);
    }

    public function test_it_names_locks_and_peers(): void
    {
        $this->serve('worker', $this->directives());
        $door = new Door();
        $file = "{$this->folder}/a lock";
        $query = "at={$door->path}&file=" . rawurlencode($file);
        $has = (new Http1($this->port))->get("/lock?$query");
        $door->await();
        $waits = (new Http1($this->port))->get("/lock?$query");
        $this->awaitText('~slow = .* waits for the lock of ' . preg_quote($file, '~') . ' since .* at flock\(\) ~');
        $door->open();
        self::assertSame('openedopened', $has->read()?->body . $waits->read()?->body);
        $this->awaitText('~waited = .* for the lock of ' . preg_quote($file, '~') . ', at flock\(\) ~');

        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $peer = (string) stream_socket_get_name($server, false);
        $asks = (new Http1($this->port))->get('/ask?n=3&peer=' . rawurlencode("tcp://$peer"));
        $socket = stream_socket_accept($server, Clock::PATIENCE);
        self::assertIsResource($socket);
        $this->awaitText("~slow = .* waits for $peer since .* at fread\(\) ~");
        for ($i = 0; $i < 3; $i++) {
            fread($socket, 100);
            fwrite($socket, 'answer');
        }
        self::assertSame('answer', $asks->read()?->body);
        $this->awaitText("~waited = .* for $peer(?:, \d times, .* at most)?, at fread\(\) ~");
    }

    public function test_it_tells_of_code_that_computes_also_while_c_code_holds_the_worker(): void
    {
        $client = $this->serve('worker', $this->directives());
        $door = new Door();
        $computes = (new Http1($this->port))->get("/computes?at={$door->path}");
        $this->awaitText('~slow = .*, computes, at .*/door\.php:\d+\n(?:' . self::FRAME . ')*\S+ \S+\\\\computeAtDoor\(\) ~');
        $door->open();
        self::assertSame('opened', $computes->read()?->body);
        $this->awaitText('~ended = .* computed \d+\.\d{3} s; ~');

        // As many rounds as it takes: what is told of before the call is not told of again.
        $rounds = 100_000;
        $pattern = '~slow = .*, holds its worker, in C code, at hash_pbkdf2\(\) .*actions\.php:\d+\n\S+ hash_pbkdf2\(\) ~';
        Clock::await(function () use ($client, $pattern, &$rounds): bool {
            $client->get("/digest?n=$rounds");
            $rounds *= 2;

            return preg_match($pattern, $this->text()) === 1;
        }, fn (): string => $this->text());

        // C code that only waits is seen when it has ended.
        $cork = new Cork();
        $sticks = (new Http1($this->port))->get("/sticks?at={$cork->path}");
        $cork->await();
        $clock = Clock::start();
        Clock::await(static fn (): bool => $clock->seconds() > 0.02, 'its time has passed');
        $cork->pull();
        self::assertSame('opened', $sticks->read()?->body);
        $this->awaitText('~ended = .*\nrequest = GET /sticks~');
    }

    public function test_a_client_that_leaves_is_told_of_and_what_it_chose_makes_no_lines_of_its_own(): void
    {
        $this->serve('worker', $this->directives());
        $door = new Door();
        $client = new Http1($this->port);
        $client->get("/door?at={$door->path}&\xc2\x9b[31m\x9b2J\u{202e}\u{200b}\xff");
        $this->awaitText('~slow = ~');
        unset($client);
        $escaped = preg_quote('&\xC2\x9B[31m\x9B2J\xE2\x80\xAE\xE2\x80\x8B\xFF', '~');
        $this->awaitText("~ended = .*\nrequest = GET /door\S+$escaped, .*, status 499\n~");
        self::assertDoesNotMatchRegularExpression('/[\x00-\x09\x0b-\x1f\x7f-\x9f]/', $this->text());
    }

    /** The name of a script may be anything. */
    public function test_a_script_s_name_makes_no_lines_of_its_own(): void
    {
        $root = "{$this->folder}/root";
        mkdir($root);
        copy(__DIR__ . '/door.php', "$root/door.php");
        file_put_contents("$root/a\n\e[31m.php", "<?php require 'door.php'; Howdah\\HttpTests\\waitAtDoor(\$_GET['at']);");
        $location = "location /scripts/ { alias $root/; howdah_pass classic \$request_filename; }";
        $this->serve('classic', $this->directives() . $location);
        $door = new Door();
        $asked = (new Http1($this->port))->get("/scripts/a%0A%1B%5B31m.php?at={$door->path}");
        $name = preg_quote("$root/a\\x0A\\x1B[31m.php", '~');
        $outermost = ".* Howdah\\\\HttpTests\\\\waitAtDoor\(\) $name:1\n";
        $this->awaitText("~script_filename = $name\n(?:.+\n){2}(?:" . self::FRAME . ")*$outermost$~D");
        $door->open();
        self::assertSame(200, $asked->read()?->status);
    }

    public function test_the_log_is_opened_anew_and_may_be_on_a_full_disk(): void
    {
        $client = $this->serve('worker', $this->directives());
        $client->get('/wait?n=15');
        $this->awaitText('~ended = ~');
        rename($this->file(), "{$this->file()}.1");
        $old = (string) file_get_contents("{$this->file()}.1");
        $this->reopenLogs();
        // The master opens it first, workers when they have heard.
        Clock::await(function () use ($client): bool {
            $client->get('/wait?n=15');

            return is_file($this->file()) && str_contains($this->text(), 'ended = ');
        }, fn (): string => "the log is opened anew: {$this->log()}");
        self::assertTrue(str_starts_with((string) file_get_contents("{$this->file()}.1"), $old));
    }

    public function test_a_full_disk_costs_no_request_and_is_told_of_once_a_minute(): void
    {
        $client = $this->serve('classic', 'howdah_slow 10ms; howdah_slow_log /dev/full;');
        self::assertSame('waited', $client->get('/wait?n=15')->body);
        self::assertTrue($this->logs('"/dev/full", was not written (28: No space left on device)'));
        self::assertSame('waited', $client->get('/wait?n=15')->body);
        self::assertSame(1, substr_count($this->log(), 'was not written'));
    }

    public function test_a_log_that_cannot_be_opened_keeps_nginx_from_starting(): void
    {
        $this->start('classic', 'howdah_slow 1s; howdah_slow_log /no/such/folder/slow.log;');
        $this->ends();
        self::assertStringContainsString('"/no/such/folder/slow.log" failed (2: No such file or directory)', $this->log());
    }

    public function test_it_is_off_by_default_and_beside_the_error_log_if_no_file_is_named(): void
    {
        $file = "{$this->folder}/errors of it.log";
        $log = ['error_log stderr warn;' => "error_log \"$file\" warn;"];
        $location = 'location = /wait { howdah_slow 10ms; howdah_pass worker ' . self::APP . '/worker.php; }';
        $client = $this->serve('worker', $location, $log);
        self::assertSame('a', $client->get('/echo?text=a&ms=15')->body);
        self::assertSame('', file_get_contents("{$this->folder}/howdah-slow.log"));
        self::assertSame('waited', $client->get('/wait?n=15')->body);
        $has = fn (): bool => str_contains((string) file_get_contents("{$this->folder}/howdah-slow.log"), 'ended = ');
        Clock::await($has, fn (): string => "it is told of: {$this->log()}");
    }

    /** Of each answer there is an entry of its end, and all entries are whole: those of workers that write at once, too. */
    #[DataProvider('modes')]
    public function test_entries_are_whole_under_load_while_a_worker_is_killed(string $mode): void
    {
        $this->serve($mode, $this->directives('5ms'), ['worker_processes 1;' => 'worker_processes 2;']);
        $answered = 0;
        $door = new Door();
        $victim = (new Http1($this->port))->get("/door?at={$door->path}");
        $this->awaitText('~slow = .*, waits for unix:~');
        $rounds = getenv('HOWDAH_LONG') === '1' ? 200 : 3;
        for ($round = 0; $round < $rounds; $round++) {
            // Some end at about the moment at which they become slow.
            $ask = fn (int $number): Http1 => (new Http1($this->port))->get('/wait?n=' . ($number % 3 === 0 ? 5 : 8));
            $asked = array_map($ask, range(1, 20));
            if ($round === 1) {
                posix_kill($door->process(), SIGKILL);
            }
            foreach ($asked as $one) {
                $answered += $one->read()?->body === 'waited' ? 1 : 0;
            }
        }
        self::assertNull($victim->read());
        self::assertGreaterThanOrEqual(20, $answered);
        $ends = fn (): int => (int) preg_match_all('~^ended = ~m', $this->text());
        Clock::await(fn (): bool => $ends() >= $answered, fn (): string => "{$ends()} of $answered are told of at their end");
        self::assertSame('', preg_replace('~' . self::FIRST . '|' . self::LAST . '~', '', $this->text()));
    }
}
