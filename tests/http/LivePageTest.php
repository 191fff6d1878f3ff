<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah serve`'s live page: for whom it is there, and what it is told. */
#[Group('realms')]
final class LivePageTest extends HttpTestCase
{
    protected const APP = __DIR__ . '/pool';

    private const PATHS = ['/_howdah', '/_howdah/requests', '/_howdah/status', '/_howdah/log'];

    protected static function options(string $mode): array
    {
        $script = $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic';

        return ['--workers=2', '--concurrency=2', '--no-access-log', $script];
    }

    /** @return array<array-key, mixed> */
    private static function json(Server $server, string $path): array
    {
        $answer = $server->client->get($path);
        self::assertSame(200, $answer->status, $answer->body);
        self::assertStringStartsWith('application/json', (string) $answer->header('content-type'));
        $told = json_decode($answer->body, true);
        self::assertIsArray($told, $answer->body);

        return $told;
    }

    /** @return list<array<array-key, mixed>> of all workers */
    private static function requests(Server $server): array
    {
        $told = self::json($server, '/_howdah/requests');
        self::assertIsArray($told['workers']);
        $all = [];
        foreach ($told['workers'] as $worker) {
            self::assertIsArray($worker);
            $list = is_array($worker['all'] ?? null) ? $worker['all']['requests'] : [];
            array_push($all, ...array_filter(is_array($list) ? $list : [], is_array(...)));
        }

        return $all;
    }

    /** Of PHP, that have ended. */
    private static function counted(Server $server): int
    {
        $told = self::json($server, '/_howdah/status');
        self::assertIsArray($told['pools']);
        $count = 0;
        foreach ($told['pools'] as $pool) {
            self::assertIsArray($pool);
            self::assertIsArray($pool['requests_total']);
            $count += (int) array_sum($pool['requests_total']);
        }

        return $count;
    }

    #[DataProvider('modes')]
    public function test_it_tells_of_requests_in_flight_of_all_workers_and_counts_none_of_its_own(string $mode): void
    {
        $server = $this->ownServer($mode, '--dev');
        self::assertStringContainsString("http://127.0.0.1:{$server->port}/_howdah", $server->errors());
        $door = new Door();
        $markup = '<script>alert(1)</script>"\\';
        $asked = [];
        for ($i = 1; $i <= 4; ++$i) {
            $asked[] = (new Http1($server->port))->get("/door?at={$door->path}&i=$i&text=$markup\xff\xe2\x80\xed\xa0\x80");
        }
        $waiting = static fn (): array => array_filter(
            self::requests($server),
            static fn (array $one): bool => $one['state'] === 'waits',
        );
        Clock::await(static fn (): bool => count(self::requests($server)) === 4 && $waiting() !== [], 'all are seen');
        $one = array_values($waiting())[0];
        $known = ['mode' => $mode, 'client' => '127.0.0.1', 'method' => 'GET', 'for' => 'descriptor', 'function' => 'fgets',
            'subject' => "unix:{$door->path}"];
        self::assertEquals($known, array_intersect_key($one, $known));
        self::assertIsString($one['uri']);
        // What is no UTF-8 is no JSON: it is replaced, and nothing else is.
        self::assertStringEndsWith("&text=$markup" . str_repeat("\u{fffd}", 6), $one['uri']);

        $door->open();
        foreach ($asked as $client) {
            self::assertSame('opened', $client->read()?->body);
        }
        Clock::await(static fn (): bool => self::requests($server) === [], 'they have ended');
        Clock::await(static fn (): bool => self::counted($server) === 4, 'each is counted');
        foreach (self::PATHS as $path) {
            self::assertSame(200, $server->client->get($path)->status);
        }
        self::assertSame(4, self::counted($server), 'and nothing else');
    }

    /** Its end, as the page asks for it; and no other file. */
    public function test_the_error_log_is_there_of_this_server_alone(): void
    {
        $server = $this->ownServer('classic', '--live-page');
        self::assertSame([200, ''], [($empty = $server->client->get('/_howdah/log'))->status, $empty->body]);
        $server->client->get('/lock?file=' . rawurlencode("/none/\x1b[31m<b>"));
        $end = static fn (): string => $server->client->get('/_howdah/log', [CURLOPT_RANGE => '-4000'])->body;
        $has = static fn (): bool => str_contains($end(), 'fopen(/none/\x1B[31m&lt;b&gt;)');
        Clock::await($has, static fn (): string => "what nginx logs: {$end()}");
        self::assertStringContainsString('client: 127.0.0.1', $end());
        foreach (['/../errors', '%2f..%2ferrors', '.1', '/'] as $more) {
            $answer = $server->client->get("/_howdah/log$more", [CURLOPT_PATH_AS_IS => true]);
            self::assertStringNotContainsString('fopen(', $answer->body, $more);
        }
        $before = strlen($server->client->get('/_howdah/log')->body);
        // Whoever runs it can read it, and nobody else.
        $log = glob("{$server->temporary}/tmp/howdah-*/log")[0] ?? '';
        self::assertSame(0600, fileperms($log) & 0777);
        file_put_contents($log, str_repeat("of long ago\n", 100_000), FILE_APPEND);
        Clock::await(static fn (): bool => strlen($end()) < $before, 'it does not grow for ever');
        $server->client->get('/lock?file=/none/again');
        Clock::await(static fn (): bool => str_contains($end(), '/none/again'), 'and goes on');
    }

    /** Of a worker that cannot answer another one tells what it has told of itself. */
    public function test_a_worker_that_c_code_holds_is_told_of(): void
    {
        $server = $this->ownServer('worker', '--live-page');
        $asked = (new Http1($server->port))->get('/digest?n=2000000000');
        $held = static function () use ($server): ?array {
            $answer = $server->client->get('/_howdah/requests', [CURLOPT_TIMEOUT_MS => 3000]);
            $told = json_decode($answer->body, true);
            $workers = is_array($told) && is_array($told['workers']) ? $told['workers'] : [];
            $stuck = array_filter($workers, static fn (mixed $one): bool => is_array($one) && isset($one['held']));

            return array_values(array_filter($stuck, is_array(...)))[0] ?? null;
        };
        $one = Clock::await($held, 'it is told of');
        self::assertFalse($one['answers']);
        self::assertIsArray($one['held']);
        self::assertSame(['holds', 'hash_pbkdf2'], [$one['held']['state'], $one['held']['function']]);
        self::assertIsInt($one['pid']);
        posix_kill($one['pid'], SIGKILL);
        unset($asked);
    }

    /** @return array<string, array{int, list<string>}> */
    public static function asking(): array
    {
        return [
            'by its address' => [200, ['Host: 127.0.0.1']],
            'another address of this machine' => [200, ['Host: 127.1.2.3:99']],
            'localhost' => [200, ['Host: LocalHost:8080']],
            'below localhost' => [200, ['Host: shop.localhost']],
            'IPv6' => [200, ['Host: [::1]:8080']],
            'another name (DNS rebinding)' => [403, ['Host: example.com']],
            'one that ends so' => [403, ['Host: evil-localhost']],
            'one that begins so' => [403, ['Host: 127.0.0.1.example.com']],
            'a name in another header' => [403, ['Host: example.com', 'X-Real-IP: a.localhost|||']],
            'and at the end' => [403, ['Host: example.com', 'Via: a.localhost|||||']],
            'through a proxy' => [403, ['Host: localhost', 'X-Forwarded-For: 127.0.0.1']],
            'through another one' => [403, ['Host: localhost', 'Forwarded: for=127.0.0.1']],
            'through one that tells its name' => [403, ['Host: localhost', 'Via: 1.1 squid']],
        ];
    }

    public function test_only_this_machine_sees_it_and_only_by_a_name_of_its_own(): void
    {
        $server = $this->ownServer('classic', '--live-page');
        foreach (self::asking() as $what => [$status, $headers]) {
            foreach (self::PATHS as $path) {
                $answer = $server->client->get($path, [CURLOPT_HTTPHEADER => $headers]);
                self::assertSame($status, $answer->status, "$path: $what");
            }
        }
        // As nginx asks, where nobody has told it to say more.
        $old = $server->client->get('/_howdah', [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_0]);
        self::assertSame(403, $old->status);
        self::assertSame(405, $server->client->post('/_howdah/requests', 'x')->status);
        self::assertSame(405, $server->client->post('/_howdah/status', 'x')->status);
        self::assertSame(0, self::counted($server));
    }

    public function test_the_page_is_one_file_that_takes_nothing_from_elsewhere(): void
    {
        $answer = $this->ownServer('classic', '--live-page')->client->get('/_howdah');

        self::assertSame('text/html; charset=utf-8', $answer->header('content-type'));
        $policy = (string) $answer->header('content-security-policy');
        foreach (['script', 'style'] as $element) {
            self::assertSame(1, preg_match("~<$element>(.*?)</$element>~s", $answer->body, $match));
            $digest = base64_encode(hash('sha256', $match[1] ?? '', true));
            self::assertStringContainsString("$element-src 'sha256-$digest';", $policy);
        }
        self::assertStringStartsWith("default-src 'none';", $policy);
        self::assertStringContainsString("frame-ancestors 'none'", $policy);
        self::assertSame('no-store', $answer->header('cache-control'));
        self::assertSame('nosniff', $answer->header('x-content-type-options'));
        self::assertDoesNotMatchRegularExpression('~(?:src|href)="(?!data:)|innerHTML|</body>~i', $answer->body);
    }

    public function test_a_configuration_that_is_printed_has_it_only_where_it_is_asked_for(): void
    {
        $usual = Howdah::run(['config', self::APP]);
        self::assertSame([0, false], [$usual->status, str_contains($usual->output, '/_howdah')]);
        $asked = Howdah::run(['config', self::APP, '--live-page']);
        self::assertSame([0, true], [$asked->status, str_contains($asked->output, 'howdah_top;')]);
        // Nobody keeps the file short there.
        self::assertMatchesRegularExpression('~location = /_howdah/log \{[^}]*\}?[^}]*return 404;~', $asked->output);
        self::assertStringNotContainsString('error_log log', $asked->output);
    }

    /** @return array<string, array{string, list<string>}> */
    public static function others(): array
    {
        return [
            'all addresses' => ['0.0.0.0', []],
            'nobody develops' => ['127.0.0.1', []],
            'a proxy in front' => ['127.0.0.1', ['--dev', '--trusted-proxy=10.0.0.0/8']],
            'nobody wants it' => ['127.0.0.1', ['--dev', '--no-live-page']],
        ] + (posix_geteuid() === 0 ? ['workers of another user' => ['127.0.0.1', ['--dev', '--user=www-data']]] : []);
    }

    /** @param list<string> $options */
    #[DataProvider('others')]
    public function test_elsewhere_the_address_is_the_applications_unless_it_is_asked_for(string $host, array $options): void
    {
        $port = Server::freePort();
        $server = $this->ownServer('classic', "--listen=$host:$port", ...$options);
        $client = new Client("http://127.0.0.1:$port");
        self::assertStringNotContainsString('/_howdah', $server->errors());
        foreach (self::PATHS as $path) {
            self::assertDoesNotMatchRegularExpression('/"workers"|<meta name="viewport"/', $client->get($path)->body);
        }
        if (in_array('--no-live-page', $options, true)) {
            return;
        }
        $port = Server::freePort();
        $this->ownServer('classic', "--listen=$host:$port", '--live-page', ...$options);
        $client = new Client("http://127.0.0.1:$port");
        self::assertSame(200, $client->get('/_howdah/requests')->status, 'asked for');
        $others = array_filter(explode(' ', (string) exec('hostname -I')));
        foreach ($host === '0.0.0.0' ? $others : [] as $address) {
            $host = str_contains($address, ':') ? "[$address]" : $address;
            $answer = (new Client("http://127.0.0.1:$port"))->get('/_howdah', [CURLOPT_HTTPHEADER => ["Host: $host"]]);
            self::assertSame(403, $answer->status, "$address is no name of this machine's own");
        }
    }
}
