<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** The page cache of docs/page-cache.md, with its own configuration: what it keeps, and what it never may. */
final class PageCacheTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    private const PAGE = __DIR__ . '/../../docs/page-cache.md';
    private const KEPT = 'Cache-Control: public, s-maxage=600';

    private static int $number = 0;

    /** @var array<string, int> of each configuration, as the tests of the class share its server */
    private static array $ports = [];

    #[DataProvider('modes')]
    public function test_an_answer_that_may_be_kept_is_made_once(string $mode): void
    {
        $client = $this->cached($mode);

        $uri = self::uri(self::KEPT);
        $first = $client->get($uri, [CURLOPT_ENCODING => 'gzip']);
        $second = $client->get($uri);
        $other = $client->get("$uri&page=2");

        self::assertSame([200, 'MISS'], [$first->status, $first->header('x-cache')], $this->log());
        self::assertSame(['HIT', null], [$second->header('x-cache'), $second->header('content-encoding')]);
        self::assertSame($first->body, $second->body);
        self::assertNotSame($first->body, $other->body);
        self::assertStringContainsString(' REMOTE_ADDR=127.0.0.1 HTTPS= HTTP_HOST=127.0.0.1 ', $first->body);
    }

    /** @return iterable<string, array{0: string, 1?: array<int, mixed>}> */
    public static function personal(): iterable
    {
        $cookie = [CURLOPT_COOKIE => 'wordpress_logged_in_1=me'];
        yield 'says nothing' => [self::uri('X-Nothing: said')];
        yield 'begins a session' => [self::uri(self::KEPT, 'Set-Cookie: PHPSESSID=1')];
        yield 'private' => [self::uri('Cache-Control: private, max-age=600')];
        yield 'no-store' => [self::uri('Cache-Control: no-store, max-age=600')];
        yield 'no-cache' => [self::uri('Cache-Control: no-cache, max-age=600')];
        yield 'differs by all' => [self::uri(self::KEPT, 'Vary: *')];
        yield 'of who has logged in' => [self::uri(self::KEPT), $cookie];
        yield 'of who has a password' => [self::uri(self::KEPT), [CURLOPT_USERPWD => 'me:secret']];
        yield 'of who has a token' => [self::uri(self::KEPT), [CURLOPT_HTTPHEADER => ['Authorization: Bearer 1']]];
        $both = [CURLOPT_COOKIE => '_ga=GA1.2.3', CURLOPT_HTTPHEADER => ['Authorization: Digest 1']];
        yield 'of who has a password and a cookie of analytics' => [self::uri(self::KEPT), $both];
        yield 'of a form' => [self::uri(self::KEPT), [CURLOPT_POSTFIELDS => 'a=b']];
    }

    /** @param array<int, mixed> $options */
    #[DataProvider('personal')]
    public function test_what_is_somebody_s_own_is_neither_kept_nor_found(string $uri, array $options = []): void
    {
        foreach ([[], self::byName()] as $edits) {
            $client = $this->cached('classic', $edits);
            $bodies = [
                $client->get($uri, $options)->body,
                $client->get($uri, $options)->body,
                // What was kept for others, had it been.
                $client->get($uri)->body,
            ];

            self::assertCount(3, array_unique($bodies), $this->log());
        }
    }

    public function test_who_has_logged_in_gets_no_page_that_was_kept_for_others(): void
    {
        foreach ([[], self::byName()] as $edits) {
            $client = $this->cached('classic', $edits);
            $uri = self::uri(self::KEPT);
            $kept = $client->get($uri);
            $own = $client->get($uri, [CURLOPT_COOKIE => 'a=b; PHPSESSID=1']);
            $again = $client->get($uri);
            $analytics = $client->get($uri, [CURLOPT_COOKIE => '_ga=GA1.2.3']);

            self::assertSame('BYPASS', $own->header('x-cache'));
            self::assertSame([true, false], [$kept->body === $again->body, $kept->body === $own->body]);
            // Where cookies are named, others do not count.
            self::assertSame($edits === [] ? 'BYPASS' : 'HIT', $analytics->header('x-cache'));
        }
    }

    /** A page that somebody has made up with a header, for all others. */
    public function test_headers_of_a_client_do_not_change_what_others_get(): void
    {
        $headers = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https', 'Host: shop.example:1337'];
        $options = [CURLOPT_HTTPHEADER => $headers, CURLOPT_ENCODING => 'gzip'];
        $body = $this->cached('classic')->get(self::uri(self::KEPT), $options)->body;

        self::assertStringContainsString(' HTTPS= HTTP_HOST=shop.example HTTP_X_FORWARDED_HOST= HTTP_ACCEPT_ENCODING= ', $body);
    }

    public function test_an_application_that_says_nothing_is_kept_where_that_is_wanted(): void
    {
        [$valid] = self::found('/^proxy_cache_valid .*;$/m');
        $client = $this->cached('classic', ['proxy_cache shop;' => "proxy_cache shop; $valid"]);

        $uri = self::uri('X-Nothing: said');
        $first = $client->get($uri);
        $second = $client->get($uri);

        self::assertSame(['MISS', 'HIT'], [$first->header('x-cache'), $second->header('x-cache')], $this->log());
    }

    public function test_it_is_emptied_by_removing_files(): void
    {
        $client = $this->cached('classic');
        [, $removal] = self::found('/^find \S+ (.*)$/m');
        [, $kept] = self::found('/proxy_cache_path (\S+)/', $this->config());
        $uri = self::uri(self::KEPT);
        $first = $client->get($uri);
        self::assertFileExists("$kept/" . md5("http127.0.0.1$uri"), 'as the page names it');
        exec("find $kept $removal", $output, $status);
        $second = $client->get($uri);

        self::assertSame([0, 'MISS', 'MISS'], [$status, $first->header('x-cache'), $second->header('x-cache')]);
        self::assertNotSame($first->body, $second->body);
    }

    private static function uri(string ...$headers): string
    {
        // Never twice the same: tests share a server.
        return '/made?' . http_build_query(['headers' => $headers, 'number' => ++self::$number]);
    }

    /** @return non-empty-list<string> what the page, or another text, says there, as preg_match() has it */
    private static function found(string $pattern, ?string $text = null): array
    {
        self::assertSame(1, preg_match($pattern, $text ?? self::page(), $found), $pattern);
        self::assertNotEmpty($found);

        return array_pad(array_values($found), 3, '');
    }

    private static function page(): string
    {
        return (string) file_get_contents(self::PAGE);
    }

    /** @return array{string, string} the page's pieces of configuration */
    private static function blocks(): array
    {
        preg_match_all('/^```nginx\n(.*?)^```$/ms', self::page(), $blocks);
        [$all, $names] = $blocks[1] + ['', ''];
        self::assertCount(2, $blocks[1]);

        return [$all, $names];
    }

    /** @return array<string, string> the list of cookies in the place of all of them */
    private static function byName(): array
    {
        [$all] = self::found('/^map .* \$shop_personal .*$/m');

        return [$all => self::blocks()[1]];
    }

    /**
     * What the page says, in a folder and on a port of its own.
     *
     * @param array<string, string> $edits
     */
    private function cached(string $mode, array $edits = []): Client
    {
        $port = self::$ports[$mode . serialize($edits)] ??= Server::freePort();
        $edits += [
            'listen 80;' => "listen 127.0.0.1:$port;",
            '/var/cache/nginx-shop ' => '{folder}/kept ',
            'http://unix:/run/nginx-shop.sock' => 'http://unix:{folder}/shop.sock',
            'listen unix:/run/nginx-shop.sock' => 'listen unix:{folder}/shop.sock',
            '/srv/shop/public' => self::APP . '/public',
        ];
        if ($mode === 'worker') {
            [, $front, $app] = self::found('/`(location \/ .*)` and `(location @app .*)`/');
            $edits['location / { try_files $uri /index.php$is_args$args; }'] = $front;
            $edits['location ~ \.php$ { try_files $uri =404; howdah_pass classic $document_root$fastcgi_script_name; }']
                = str_replace('/srv/shop', self::APP, $app);
        }
        $config = self::blocks()[0];
        foreach ($edits as $old => $new) {
            self::assertSame(1, substr_count($config, $old), $old);
            $config = str_replace($old, $new, $config);
        }
        // Debian's nginx.conf compresses, in every server.
        $this->share($mode, '', ['howdah_concurrency 16;' => "howdah_concurrency 16; gzip on;\n$config"]);

        return new Client("http://127.0.0.1:$port");
    }

    private function config(): string
    {
        return (string) file_get_contents("/proc/{$this->master()}/cwd/nginx.conf");
    }
}
