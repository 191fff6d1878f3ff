<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\Post;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;

/**
 * What the benchmarks of the field ask of a framework: nothing, a database, a cache, a session, all of them. Each request but the
 * first kind's writes something that can be counted afterwards.
 */
final class EndpointController
{
    private const POSTS = 1_000;

    private const SECONDS = 600;

    public function static(): JsonResponse
    {
        return response()->json(['static' => self::text()]);
    }

    public function database(Request $request): JsonResponse
    {
        return response()->json(['database' => $this->post($request)]);
    }

    public function cache(): JsonResponse
    {
        return response()->json(['cache' => $this->remembered()]);
    }

    public function session(Request $request): JsonResponse
    {
        return response()->json(['session' => $this->visited($request)]);
    }

    public function all(Request $request): JsonResponse
    {
        return response()->json([
            'database' => $this->post($request),
            'cache' => $this->remembered(),
            'session' => $this->visited($request),
        ]);
    }

    /** One row read, one written. */
    private function post(Request $request): string
    {
        $post = Post::query()->findOrFail(random_int(1, self::POSTS));
        $post->views()->create(['visitor' => $request->ip()]);

        return $post->title;
    }

    private function remembered(): string
    {
        Cache::increment('hits');

        return Cache::remember('text', self::SECONDS, self::text(...));
    }

    private static function text(): string
    {
        return str_repeat('text ', 20);
    }

    private function visited(Request $request): int
    {
        return (int) $request->session()->increment('visits');
    }
}
