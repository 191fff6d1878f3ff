<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\Post;
use App\Models\PostView;
use App\Models\User;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;

/**
 * Ten queries, as a page of a blog might make them.
 */
final class BenchController
{
    private const USERS = 100;

    public function __invoke(Request $request): JsonResponse
    {
        $user = User::query()->findOrFail(random_int(1, self::USERS));
        $posts = $user->posts()->limit(10)->get();

        /** @var Post $post */
        $post = $posts->random();
        $post->views()->create(['visitor' => $request->ip()]);
        $post->increment('views_count');

        $totals = Post::query()
            ->toBase()
            ->selectRaw('count(*) as posts, sum(views_count) as views, max(views_count) as most')
            ->first();
        $top = Post::query()->orderByDesc('views_count')->limit(5)->get(['id', 'title', 'views_count']);
        $writers = Post::query()
            ->toBase()
            ->selectRaw('user_id, count(*) as posts_count')
            ->groupBy('user_id')
            ->orderByDesc('posts_count')
            ->limit(5)
            ->get();

        $other = User::query()->findOrFail(random_int(1, self::USERS));
        $recent = $other->posts()->latest()->limit(5)->get(['id', 'title']);
        $views = PostView::query()->latest('id')->limit(10)->get();

        return response()->json([
            'user' => $user->name,
            'posts' => $posts->pluck('title'),
            'totals' => $totals,
            'top' => $top,
            'writers' => $writers,
            'other' => ['name' => $other->name, 'posts' => $recent->pluck('title')],
            'views' => $views->pluck('post_id'),
        ]);
    }
}
