<?php

/* Copied into a project of CodeIgniter: what each of the published endpoints does (src/CodeIgniterSuites.php), written anew. */

declare(strict_types=1);

namespace App\Controllers;

final class Bench extends BaseController
{
    private const KEY = 'bench';
    private const TEXT = 'kept for a moment';

    public function database(): string
    {
        return $this->page($this->rows());
    }

    public function cache(): string
    {
        return $this->page($this->cached(['text' => self::TEXT]));
    }

    public function session(): string
    {
        return $this->page($this->remembered());
    }

    public function all(): string
    {
        $rows = $this->rows();

        return $this->page($rows + $this->cached($rows) + $this->remembered());
    }

    /** @return array<string, list<string>> */
    private function rows(): array
    {
        $database = db_connect();
        $some = $database->table('categories')->limit(50)->get()->getResultArray();
        $threads = $database->table('threads')->where('category_id', 7)->limit(10)->get()->getResultArray();
        $posts = $database->table('posts')->where('category_id', 7)->limit(20)->get()->getResultArray();

        return [
            'categories' => array_column($some, 'title'),
            'threads' => array_column($threads, 'title'),
            'posts' => array_column($posts, 'body'),
        ];
    }

    /** @return array<string, list<string>> */
    private function cached(array $what): array
    {
        $kept = cache()->save(self::KEY, $what);
        cache()->delete(self::KEY);

        return ['cache' => $kept ? [self::TEXT] : []];
    }

    /** @return array<string, list<string>> */
    private function remembered(): array
    {
        session()->set('sample', $this->request->getGet('sample') ?? self::TEXT);

        return ['session' => [session()->get('sample')]];
    }

    private function page(array $lists): string
    {
        return view('bench', ['lists' => $lists]);
    }
}
