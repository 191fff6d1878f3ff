<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Contracts\View\View;
use Illuminate\Http\Request;

final class CounterController
{
    public function __invoke(Request $request): View
    {
        $request->session()->increment('visits');

        return view('counter', ['visits' => $request->session()->get('visits')]);
    }
}
