<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Server\Answerer;
use Illuminate\Http\JsonResponse;

final class StatusController
{
    public function __invoke(Answerer $answerer): JsonResponse
    {
        return response()->json($answerer->status())->header('Cache-Control', 'no-store');
    }
}
