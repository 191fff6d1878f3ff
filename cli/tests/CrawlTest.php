<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Audit\Answer;
use Howdah\Cli\Audit\CrawlPlan;
use Howdah\Cli\Audit\Links;
use PHPUnit\Framework\Attributes\DataProvider;

/** Which pages `howdah audit` finds, and how often it asks for them. */
final class CrawlTest extends CliTestCase
{
    private const ORIGIN = 'http://127.0.0.1:8080';

    public function test_links_frames_and_forms_that_ask_are_followed(): void
    {
        $html = <<<'HTML'
            <html><body><a href="/a">a</a> <a href="b?x=1&amp;y=2#top">b</a> <a name="no">no link</a> <map><area href="c"></map>
            <iframe src="../frame"></iframe>
            <form action="/search"><input name="q" value="a b"><select name="s"><option value="1" selected>one</select></form>
            <form method="post" action="/delete"><input name="id" value="1"></form>
            HTML;

        $pages = array_map(
            static fn (string $url): string => str_replace(['+', self::ORIGIN], ['%20', ''], $url),
            (new Links(self::ORIGIN))->of($html, '/shop/list'),
        );

        self::assertSame(['/a', '/shop/b?x=1&y=2#top', '/shop/c', '/frame', '/search?q=a%20b&s=1'], $pages);
    }

    public function test_a_base_is_respected(): void
    {
        $html = '<html><head><base href="/other/"></head><body><a href="x">x</a>';

        self::assertSame([self::ORIGIN . '/other/x'], (new Links(self::ORIGIN))->of($html, '/shop/'));
    }

    /** @return iterable<array{string, ?string}> */
    public static function urls(): iterable
    {
        yield '/a#b' => ['/a#b', '/a'];
        yield '?page=2' => ['?page=2', '/shop/list?page=2'];
        yield 'the origin' => [self::ORIGIN, '/'];
        yield 'the origin, ?x' => [self::ORIGIN . '?x', '/?x'];
        yield 'the origin, /a' => [self::ORIGIN . '/a', '/a'];
        yield '//127.0.0.1:8080/a' => ['//127.0.0.1:8080/a', '/a'];
        yield '/with space/ü' => ['/with space/ü', '/with%20space/%C3%BC'];
        yield 'http://127.0.0.1:80801/a' => ['http://127.0.0.1:80801/a', null];
        yield 'http://elsewhere/' => ['http://elsewhere/', null];
        yield 'https://127.0.0.1:8080/' => ['https://127.0.0.1:8080/', null];
        yield 'mailto:somebody@example.com' => ['mailto:somebody@example.com', null];
        yield 'javascript:void(0)' => ['javascript:void(0)', null];
    }

    #[DataProvider('urls')]
    public function test_only_pages_of_this_server_are_its_own(string $url, ?string $page): void
    {
        self::assertSame($page, (new Links(self::ORIGIN))->own($url, '/shop/list'));
    }

    public function test_every_client_asks_for_every_page_as_often_as_it_is_told(): void
    {
        $asked = $this->crawl(['/' => ['/a', '/b'], '/a' => ['/'], '/b' => ['/c'], '/c' => []], clients: 3, rounds: 2);

        ksort($asked);
        self::assertSame(['/' => 6, '/a' => 6, '/b' => 6, '/c' => 6], $asked);
    }

    public function test_an_application_of_one_page_is_asked_often_enough(): void
    {
        self::assertSame(['/' => 100], $this->crawl(['/' => []], clients: 4, rounds: 1, least: 100));
    }

    public function test_a_redirect_leads_on_and_files_are_asked_for_once(): void
    {
        $asked = $this->crawl(['/' => ['/go', '/x.pdf'], '/go' => '/target', '/target' => [], '/x.pdf' => null], 2, 3);

        self::assertSame(1, $asked['/x.pdf']);
        self::assertSame(6, $asked['/target']);
    }

    public function test_links_of_files_and_redirects_of_nginx_are_followed(): void
    {
        $plan = new CrawlPlan(new Links(self::ORIGIN), 50, 1, 1, 0, 1);
        $answers = [
            '/' => new Answer(200, null, 'text/html', null, '<a href="/docs">docs</a>', ''),
            '/docs' => new Answer(301, null, 'text/html', self::ORIGIN . '/docs/', '', ''),
            '/docs/' => new Answer(200, '1:1', 'text/html', null, '', ''),
        ];
        $asked = [];
        while (($request = $plan->next(0)) !== null) {
            $asked[] = $request->path;
            $plan->answered(0, $request, $answers[$request->path]);
        }

        self::assertSame(['/', '/docs', '/docs/'], $asked);
    }

    public function test_pages_without_end_have_an_end(): void
    {
        $calendar = [];
        for ($day = 0; $day < 1000; $day++) {
            $calendar["/day?d=$day"] = ['/day?d=' . $day + 1];
        }
        $pages = ['/' => ['/day?d=0']] + $calendar;
        self::assertCount(11, $this->crawl($pages, 1, 1));

        $paths = [];
        for ($page = 0; $page < 1000; $page++) {
            $paths["/page/$page"] = ['/page/' . $page + 1];
        }
        self::assertCount(50, $this->crawl(['/' => ['/page/0']] + $paths, 1, 1));
    }

    /**
     * @param  array<string, list<string>|string|null> $pages   links of a page, or where it redirects to; null: a file
     * @return array<string, int>                              how often each was asked for
     */
    private function crawl(array $pages, int $clients, int $rounds, int $least = 0): array
    {
        $plan = new CrawlPlan(new Links(self::ORIGIN), 50, $rounds, $clients, $least, 1);
        $asked = [];
        for ($idle = 0; $idle < $clients;) {
            $idle = 0;
            for ($client = 0; $client < $clients; $client++) {
                $request = $plan->next($client);
                if ($request === null) {
                    $idle++;
                    continue;
                }
                $asked[$request->path] = 1 + ($asked[$request->path] ?? 0);
                $plan->answered($client, $request, $this->answer($pages[$request->path]));
            }
        }

        return $asked;
    }

    /** @param list<string>|string|null $page */
    private function answer(array|string|null $page): Answer
    {
        $links = is_array($page) ? array_map(static fn (string $link): string => "<a href='$link'>x</a>", $page) : [];

        return new Answer(
            is_string($page) ? 302 : 200,
            $page === null ? null : '1:1',
            $page === null ? 'application/pdf' : 'text/html; charset=utf-8',
            is_string($page) ? $page : null,
            implode($links),
            '',
        );
    }
}
