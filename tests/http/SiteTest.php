<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** Two sites in one nginx: `server` blocks whose directives agree. */
final class SiteTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    /** @return iterable<string, array{string, string, bool}> mode, directive, whether the second site waits for the first */
    public static function pools(): iterable
    {
        yield 'classic' => ['classic', '', false];
        yield 'classic, one name' => ['classic', 'howdah_pool both;', true];
        yield 'worker' => ['worker', '', false];
    }

    #[DataProvider('pools')]
    public function test_a_site_that_hangs_stops_another_only_where_they_share_a_pool(
        string $mode,
        string $directive,
        bool $waits,
    ): void {
        $port = $this->serveTwo($mode, "$directive howdah_concurrency 2;");
        (new Http1($port))->get('/')->read();
        $door = new Door();
        $hanging = array_map(fn (): Http1 => (new Http1($this->port))->get("/door?at={$door->path}"), range(1, 2));
        $door->await(2);

        $other = (new Http1($port))->get('/');
        if ($waits) {
            $sockets = [$other->socket];
            $none = null;
            self::assertSame(0, stream_select($sockets, $none, $none, 0, 300_000), 'the door is closed');
            $door->open();
        }
        self::assertSame('front page', $other->read()?->body, $this->log());
        $door->open();
        array_map(static fn (Http1 $client): ?Response => $client->read(), $hanging);
    }

    /** Both are one application: what runs at once is one number. */
    public function test_two_servers_of_one_root_share_a_pool(): void
    {
        $port = $this->serveTwo('classic', 'howdah_concurrency 2;', self::APP . '/public/');
        $door = new Door();
        $hanging = (new Http1($this->port))->get("/door?at={$door->path}");
        $door->await();

        self::assertSame(2, (new Http1($port))->get('/status')->read()?->json()['busy'] ?? null, $this->log());
        $door->open();
        $hanging->read();
    }

    public function test_locations_of_one_name_must_agree(): void
    {
        $this->start('classic', 'howdah_pool one;'
            . ' location = /other { howdah_concurrency 3; howdah_pass classic /x/index.php; }');

        self::assertTrue($this->ends());
        self::assertMatchesRegularExpression('/the pool "one" .howdah_pool. has other directives in location/', $this->log());
    }

    /** @return int the second site's port */
    private function serveTwo(string $mode, string $directives, ?string $root = null): int
    {
        $port = Server::freePort();
        if ($root === null) {
            $root = "{$this->folder}/site";
            symlink(self::APP . '/public', $root);
        }
        $pass = $mode === 'worker' ? 'worker ' . self::APP . '/worker.php' : 'classic $document_root/index.php';
        $second = "server { listen 127.0.0.1:$port; root $root; location / { howdah_pass $pass; } }";
        $this->serve($mode, '', ['howdah_concurrency 16;' => "$directives $second"]);

        return $port;
    }
}
