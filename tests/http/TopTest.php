<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah top`: what each request in flight does, seen from outside the server. */
#[Group('realms')]
final class TopTest extends TopTestCase
{
    #[DataProvider('modes')]
    public function test_it_tells_what_each_request_does(string $mode): void
    {
        $this->serve($mode, '');
        self::assertSame([], $this->requests());
        $door = new Door();
        $uris = array_map(static fn (int $i): string => "/door?at={$door->path}&i=$i", range(1, 3));
        $asked = array_map(fn (string $uri): Http1 => (new Http1($this->port))->get($uri), $uris);
        $this->awaitStates(['queued', 'waits', 'waits']);

        self::assertSame($uris, $this->column('uri'));
        $waits = array_values(array_filter($this->requests(), static fn (array $each): bool => $each['state'] === 'waits'));
        $one = $waits[0];
        $known = ['server' => $this->master(), 'worker' => $this->workers()[0], 'mode' => $mode, 'pool' => 'default',
            'client' => '127.0.0.1', 'method' => 'GET', 'for' => 'descriptor', 'subject' => "unix:{$door->path}",
            'held_by' => null, 'waited' => null, 'cpu_seconds' => null];
        self::assertEquals($known, array_intersect_key($one, $known));
        self::assertIsInt($one['memory_bytes']);
        self::assertGreaterThan(1 << 18, $one['memory_bytes']);
        self::assertLessThan(1 << 26, $one['memory_bytes']);
        $times = [];
        foreach (['since_seconds', 'wait_seconds', 'age_seconds'] as $name) {
            self::assertIsNumeric($one[$name]);
            $times[] = (float) $one[$name];
        }
        Clock::assertAtLeast($times[0], $times[1], 'all of its waits are no shorter than this one');
        Clock::assertAtLeast($times[1], $times[2], 'it is no younger than its waits');
        self::assertIsArray($one['at']);
        self::assertSame('fgets', $one['at']['function']);
        self::assertStringEndsWith('/door.php', is_string($one['at']['file']) ? $one['at']['file'] : '');
        self::assertIsArray($one['stack']);
        $calls = array_slice(array_column($one['stack'], 'function'), 0, 3);
        self::assertSame(['fgets', 'Howdah\HttpTests\waitAtDoor', 'Howdah\HttpTests\Pool\atDoor'], $calls);

        $begun = is_string($one['uri']) ? substr($one['uri'], -3) : '';
        $text = $this->whole('--stack', '--filter=' . strtoupper($begun), '--sort=memory');
        $line = "~^REQUEST .*\n\d+-\d+ .* 127\.0\.0\.1 +GET /door\S+&$begun: waits \d+\.\d{3} s for unix:\S+, at fgets\(\) ~";
        self::assertMatchesRegularExpression($line, $text);
        self::assertSame(2 + substr_count($text, "\n    #"), substr_count($text, "\n"));
        self::assertStringContainsString(': waits for a realm', $this->whole());
        $door->open();
        foreach ($asked as $client) {
            self::assertSame('opened', $client->read()?->body);
        }
        $this->awaitStates([]);
    }

    public function test_a_worker_that_computes_answers_and_one_that_is_killed_is_told_of_no_more(): void
    {
        $this->serve('worker', '', ['worker_processes 1;' => 'worker_processes 2;']);
        $door = new Door();
        $asked = [(new Http1($this->port))->get("/computes?at={$door->path}")];
        $this->awaitStates(['computes']);
        [$one] = $this->requests();
        self::assertIsInt($one['worker']);
        posix_kill($one['worker'], SIGKILL);
        Clock::await(
            fn (): bool => count(array_diff($this->workers(), [$one['worker']])) === 2,
            'another worker has taken its place',
        );
        self::assertSame([], $this->requests());
        $asked[] = (new Http1($this->port))->get("/computes?at={$door->path}");
        $this->awaitStates(['computes']);
        $door->open();
        self::assertSame('opened', $asked[1]->read()?->body);
    }

    public function test_it_tells_of_c_code_that_holds_a_worker(): void
    {
        $this->serve('worker', '');
        $door = new Door();
        $asked = [(new Http1($this->port))->get("/door?at={$door->path}")];
        $this->awaitStates(['waits']);
        $asked[] = (new Http1($this->port))->get('/digest?n=2000000000');
        $howdah = Clock::await(function (): ?Howdah {
            $howdah = $this->top('--json');

            return str_contains($howdah->output, '"state": "holds"') ? $howdah : null;
        }, 'it is told of');
        self::assertSame(1, $howdah->status);
        [$worker] = self::of($howdah->output, 'workers');
        self::assertSame([false, 2, 0], [$worker['answers'], $worker['requests'], $worker['not_listed']]);
        $states = array_column(self::of($howdah->output, 'requests'), 'at', 'state');
        self::assertSame(['holds', 'waits'], array_keys($states));
        self::assertSame('hash_pbkdf2', is_array($states['holds']) ? $states['holds']['function'] : null);
        $text = $this->top()->output;
        self::assertMatchesRegularExpression('~GET /digest.*: holds its worker, in C code, at hash_pbkdf2\(\) ~', $text);
        $silent = '~^worker \d+ has not answered: for \d+\.\d s it is in one call of C code~m';
        self::assertMatchesRegularExpression($silent, $text);
        // It would hold up nginx's end.
        posix_kill($this->workers()[0], SIGKILL);
        unset($asked);
    }

    /** No tick of processor time can tell of it. */
    public function test_a_worker_that_c_code_blocks_is_said_not_to_answer(): void
    {
        $this->serve('classic', '');
        $cork = new Cork();
        $sticks = (new Http1($this->port))->get("/sticks?at={$cork->path}");
        $cork->await();
        // Not while somebody else has stopped it.
        $howdah = Clock::await(function (): ?Howdah {
            $howdah = $this->top();

            return str_contains($howdah->output, '(process state T)') ? null : $howdah;
        }, 'it goes on');
        self::assertSame(1, $howdah->status);
        self::assertMatchesRegularExpression('~^worker \d+ has not answered: .* \(process state S\)~m', $howdah->output);
        $cork->pull();
        self::assertSame('opened', $sticks->read()?->body);
        $this->awaitStates([]);
    }

    /** Frames of every kind (app/odd.php): whatever is in one request's way, all are told of. */
    public function test_odd_frames_leave_the_list_whole(): void
    {
        $this->serve('classic', '', ['howdah_concurrency 2' => 'howdah_concurrency 8']);
        $door = new Door();
        $kinds = ['bytes', 'closures', 'deep', 'fibers', 'generators', 'unreadable'];
        $ask = fn (string $kind): Http1 => (new Http1($this->port))->get("/odd?at={$door->path}&kind=$kind");
        $asked = array_map($ask, $kinds);
        // Who waits before is not where its frames are.
        $door->await(count($kinds));
        $this->awaitStates(array_fill(0, count($kinds), 'waits'));
        $calls = [];
        foreach ($this->requests() as $each) {
            self::assertIsString($each['uri']);
            self::assertIsArray($each['stack']);
            $calls[substr((string) strrchr($each['uri'], '='), 1)] = array_column($each['stack'], 'function');
        }
        ksort($calls);
        self::assertSame($kinds, array_keys($calls));
        $wait = ['fgets', 'waitAtDoor', '{closure'];
        $call = ['odd', '[INCLUDE_OR_EVAL]', 'act'];
        $bytes = ["odd\u{fffd}", '[INCLUDE_OR_EVAL]', '{closure', 'inFileOf'];
        self::assertSame([...$wait, ...$bytes, ...$call], self::named($calls['bytes']));
        self::assertSame([...$wait, '{closure', '{closure', 'array_map', ...$call], self::named($calls['closures']));
        self::assertSame([...$wait, ...array_fill(0, 45, 'deep')], self::named($calls['deep']));
        self::assertSame([...$wait, 'start', '{closure', 'start', ...$call], self::named($calls['fibers']));
        self::assertSame([...$wait, '{closure', 'iterator_to_array', ...$call], self::named($calls['generators']));
        self::assertSame(['fgets', 'waitAtDoor'], self::named($calls['unreadable']), 'what could be read');
        $door->open();
        foreach ($asked as $client) {
            self::assertSame('opened', $client->read()?->body);
        }
    }

    public function test_what_a_client_chose_is_harmless_and_only_the_owner_may_look(): void
    {
        $this->serve('worker', '');
        $door = new Door();
        $client = (new Http1($this->port))->get("/door?at={$door->path}&\xc2\x9b31m\xff\xed\xa0\x80\"\\");
        $this->awaitStates(['waits']);
        self::assertSame(["/door?at={$door->path}&\u{9b}31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\"\\"], $this->column('uri'));
        $text = $this->whole();
        self::assertStringContainsString('&?31m', $text);
        self::assertDoesNotMatchRegularExpression('/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/', $text);

        self::assertSame([], self::windows($this->workers()[0]), 'PHP code could open it');
        $modes = array_map(fileperms(...), self::windows($this->master()));
        self::assertSame([0600], array_map(static fn (int|false $mode): int => (int) $mode & 0777, $modes));
        $door->open();
        self::assertSame('opened', $client->read()?->body);
    }

    public function test_the_user_of_the_workers_may_not_look(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root may run workers as another user');
        }
        chmod($this->folder, 0755);
        $this->serve('classic', '', ["user root;\n" => "user www-data;\n"]);
        $windows = self::windows($this->master());
        self::assertCount(1, $windows, $this->log());
        [$window] = $windows;
        foreach (['nobody' => 'nogroup', 'www-data' => 'www-data'] as $user => $group) {
            $as = "setpriv --reuid=$user --regid=$group --clear-groups sh -c 'exec 3<\"\$1\"' sh $window 2>&1";
            exec($as, $said, $status);
            self::assertNotSame(0, $status, implode("\n", $said));
        }
        exec("sh -c 'exec 3<\"\$1\"' sh $window", $said, $status);
        self::assertSame(0, $status, 'its owner may');
        self::assertSame([], $this->requests());
    }

    /** One worker can have so many: streams, long polling. Whether they wait for a realm or for something else is one to the list. */
    public function test_5000_requests_of_a_worker_are_all_told_of(): void
    {
        $most = posix_getrlimit()['hard openfiles'] ?? 0;
        posix_setrlimit(POSIX_RLIMIT_NOFILE, 8192, is_int($most) ? $most : 8192);
        $this->serve('worker', 'howdah_queue 5000;');
        $door = new Door();
        $asked = [];
        for ($number = 0; $number < 5000; ++$number) {
            $asked[] = (new Http1($this->port))->get("/door?at={$door->path}&product=$number");
        }
        $told = static fn (array $all): int => count(array_unique(array_filter(array_column($all, 'uri'), is_string(...))));
        Clock::await(fn (): bool => $told($this->requests()) === 5000, fn (): string => "5000 are there: {$this->whole()}");
        $list = $this->whole('--sort=age');
        self::assertSame(5000, substr_count($list, ' GET /door?at='));
        self::assertStringNotContainsString('than it has room to tell of', $list);
        $client = new Client("http://127.0.0.1:{$this->port}");
        posix_kill($this->workers()[0], SIGKILL);
        Clock::await(fn (): bool => $this->requests() === [], 'with the worker they are gone');
        $door->open();
        unset($asked);
        self::assertSame('front page', $client->get('/')->body);
    }

    public function test_who_is_no_server_is_named(): void
    {
        $howdah = Howdah::run(['top', '--once', '--pid=1']);
        self::assertSame(1, $howdah->status);
        self::assertStringStartsWith('howdah: --pid=1 is no nginx with Howdah', $howdah->errors);
        self::assertStringContainsString('it is one of age, wait, cpu, memory', Howdah::run(['top', '--sort=x'])->errors);
    }

    public function test_in_a_terminal_it_is_live_and_leaves_the_terminal_as_it_was(): void
    {
        $this->serve('worker', '');
        $howdah = dirname(__DIR__, 2) . '/bin/howdah';
        $shell = ['sh', '-c', 'stty -g; "$@"; echo "status $?"; stty -g', 'sh', PHP_BINARY, $howdah, 'top'];
        $command = [...$shell, "--pid={$this->master()}"];
        $process = proc_open($command, array_fill(0, 3, ['pty']), $pipes, null, ['TERM' => 'xterm'] + getenv());
        self::assertIsResource($process);
        stream_set_blocking($pipes[1], false);
        $shown = '';
        $shows = static function (string $text) use (&$shown, $pipes): void {
            Clock::await(static function () use (&$shown, $pipes, $text): bool {
                $shown .= (string) @stream_get_contents($pipes[1]);

                return str_contains($shown, $text);
            }, static fn (): string => "it shows $text: $shown");
        };

        try {
            $shows('0 requests in flight, 0 shown, by age; 1 workers');
            // Made before, it would be the command's, too.
            $door = new Door();
            $asked = (new Http1($this->port))->get("/door?at={$door->path}");
            $shows('1 requests in flight, 1 shown, by age; 1 workers');
            // Ctrl-Z would leave the terminal as it is.
            fwrite($pipes[0], "\x1aw");
            $shows('by wait');
            fwrite($pipes[0], 'j');
            $shows("\e[1;7m");
            fwrite($pipes[0], "\n");
            $shows('#0 fgets()');
            $door->open();
            self::assertSame('opened', $asked->read()?->body);
            $shown = strstr($shown, '1 requests in flight', true) . '(...)';
            $shows('0 requests in flight, 0 shown, by wait');
            fwrite($pipes[0], 'q');
            $shows('status 0');
            Clock::await(static fn (): bool => !proc_get_status($process)['running'], 'the shell ends');
        } finally {
            // It has the terminal's other end as well, and would not hear that this test is over.
            $shell = proc_get_status($process);
            foreach ($shell['running'] ? Server::children($shell['pid']) : [] as $command) {
                posix_kill($command, SIGKILL);
            }
        }
        $shown .= (string) @stream_get_contents($pipes[1]);
        proc_close($process);
        $settings = preg_match_all('/^[0-9a-f]+(?::[0-9a-f]+){10,}/m', $shown, $told);
        self::assertSame([2, 1], [$settings, count(array_unique($told[0]))], $shown);
        self::assertStringEndsWith("\e[?1049l", strstr($shown, 'status 0', true) ?: '');
    }

    public function test_a_terminal_that_cannot_paint_is_shown_the_list_once(): void
    {
        $this->serve('classic', '');
        $command = [PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah', 'top', "--pid={$this->master()}"];
        $process = proc_open($command, array_fill(0, 3, ['pty']), $pipes, null, ['TERM' => 'dumb'] + getenv());
        self::assertIsResource($process);
        for ($shown = ''; is_string($part = @fread($pipes[1], 4096)) && $part !== ''; $shown .= $part) {
        }
        self::assertSame(0, proc_close($process));
        self::assertMatchesRegularExpression('/^REQUEST +AGE [A-Z ]+WHAT\r\n$/D', $shown);
    }

    /**
     * Without namespaces, and without what PHP 8.4 adds to the name of a closure.
     *
     * @param array<mixed> $functions
     * @return list<string>
     */
    private static function named(array $functions): array
    {
        $names = array_filter($functions, is_string(...));

        return array_values((array) preg_replace('/^\w+(\\\\\w+)*\\\\(?=[\w{])|(?<=\{closure)[:}].*|^Fiber::/', '', $names));
    }

    /** @return list<string> links to the memory that is shared with `howdah top`, of a process */
    private static function windows(int $process): array
    {
        $isOne = static fn (string $link): bool => str_contains((string) @readlink($link), 'howdah-top');

        return array_values(array_filter(glob("/proc/$process/fd/*") ?: [], $isOne));
    }
}
