<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;

final class HelloController
{
    public function __invoke(): JsonResponse
    {
        return response()->json(['message' => 'Hello']);
    }
}
