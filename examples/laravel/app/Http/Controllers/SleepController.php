<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Server\Answerer;
use Illuminate\Http\JsonResponse;

final class SleepController
{
    private const MS_AT_MOST = 10_000;

    public function __invoke(int $ms, Answerer $answerer): JsonResponse
    {
        $ms = min($ms, self::MS_AT_MOST);
        $begun = hrtime(true);
        usleep($ms * 1000);

        return response()
            ->json(['asked_ms' => $ms, 'took_ms' => (hrtime(true) - $begun) / 1e6, ...$answerer->status()])
            // The front page calls it under several host names (public/demo.js says why).
            ->header('Access-Control-Allow-Origin', '*')
            ->header('Cache-Control', 'no-store');
    }
}
