<?php

declare(strict_types=1);

namespace Database\Seeders;

use App\Models\Post;
use App\Models\PostView;
use App\Models\User;
use Illuminate\Database\Seeder;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\DB;

/**
 * 100 users and 1,000 posts, the same each time.
 */
class DatabaseSeeder extends Seeder
{
    private const USERS = 100;

    private const POSTS = 1_000;

    private const WORDS = [
        'elephant', 'saddle', 'canopy', 'river', 'market', 'monsoon', 'palace', 'journey', 'lantern', 'road',
    ];

    public function run(): void
    {
        if (User::query()->exists()) {
            return;
        }
        $begin = new Carbon('2026-01-01');
        DB::transaction(function () use ($begin): void {
            // One hash for all: it costs a fifth of a second each time, and nobody signs in.
            $password = bcrypt('password');
            User::query()->insert(array_map(static fn (int $i): array => [
                'name' => "Rider {$i}",
                'email' => "rider{$i}@example.com",
                'password' => $password,
                'created_at' => $begin,
                'updated_at' => $begin,
            ], range(1, self::USERS)));
            foreach (array_chunk(range(1, self::POSTS), 100) as $numbers) {
                Post::query()->insert(array_map(static fn (int $i): array => [
                    'user_id' => $i % self::USERS + 1,
                    'title' => ucfirst(self::word($i)) . ' and ' . self::word(intdiv($i, 7)) . ", {$i}",
                    'body' => implode(' ', array_map(static fn (int $n): string => self::word($i * $n), range(1, 80))),
                    'views_count' => $i * 37 % 500,
                    'created_at' => $begin->copy()->addMinutes($i),
                    'updated_at' => $begin->copy()->addMinutes($i),
                ], $numbers));
            }
            PostView::query()->insert(array_map(static fn (int $i): array => [
                'post_id' => $i,
                'visitor' => 'seed',
                'created_at' => $begin,
            ], range(1, 50)));
        });
    }

    private static function word(int $i): string
    {
        return self::WORDS[$i % count(self::WORDS)];
    }
}
