<?php

declare(strict_types=1);

namespace Howdah\Bench\App;

use Closure;
use DateTimeImmutable;

/**
 * A router, a catalogue of 200 articles, a page made of it: what a small application holds in its hands while it waits for a
 * database, in place of which there is a wait of so many milliseconds.
 */
final class SmallApplication
{
    /** @var array<string, Closure(string): string> */
    private array $routes = [];

    /** @var list<array{id: int, name: string, price: float, since: DateTimeImmutable}> */
    private array $articles = [];

    public function __construct()
    {
        $this->routes['~^/articles/(\d+)$~'] = fn (string $milliseconds): string => $this->page((int) $milliseconds);
        for ($id = 1; $id <= 200; $id++) {
            $this->articles[] = [
                'id' => $id,
                'name' => "Article $id",
                'price' => $id * 1.25,
                'since' => new DateTimeImmutable("2024-01-01 +$id days"),
            ];
        }
    }

    public function handle(): void
    {
        $uri = $_SERVER['REQUEST_URI'] ?? '';
        $path = (string) parse_url(is_string($uri) ? $uri : '', PHP_URL_PATH);
        foreach ($this->routes as $pattern => $handler) {
            if (preg_match($pattern, $path, $match) === 1) {
                header('Content-Type: text/html; charset=utf-8');
                echo $handler($match[1] ?? '');

                return;
            }
        }
        http_response_code(404);
    }

    private function page(int $milliseconds): string
    {
        $articles = $this->articles;
        usort($articles, static fn (array $a, array $b): int => $b['price'] <=> $a['price']);
        ob_start();
        foreach ($articles as $article) {
            echo '<li>', htmlspecialchars($article['name']), ' ', number_format($article['price'], 2), ' since ',
                $article['since']->format('Y-m-d'), "</li>\n";
        }
        $list = ob_get_clean();
        usleep($milliseconds * 1000);

        return "<ul>\n$list</ul>\n<p>" . count($articles) . " articles</p>\n";
    }
}
