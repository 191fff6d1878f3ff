<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\Post;
use App\Server\Answerer;
use Illuminate\Contracts\View\View;

final class FrontController
{
    public function __invoke(Answerer $answerer): View
    {
        return view('front', [
            'status' => $answerer->status(),
            'posts' => Post::with('user')->orderByDesc('views_count')->limit(5)->get(),
        ]);
    }
}
