<?php

declare(strict_types=1);

use App\Http\Controllers\BenchController;
use App\Http\Controllers\EndpointController;
use App\Http\Controllers\HelloController;
use App\Http\Controllers\LeakController;
use App\Http\Controllers\SleepController;
use App\Http\Controllers\StatusController;
use Illuminate\Support\Facades\Route;

// Without sessions and cookies.
Route::get('/api/hello', HelloController::class)->name('hello');
Route::get('/api/status', StatusController::class)->name('status');
Route::get('/sleep/{ms}', SleepController::class)->whereNumber('ms')->name('sleep');
Route::get('/leftovers', [LeakController::class, 'here'])->name('leftovers');
Route::get('/leftovers/rewound', [LeakController::class, 'rewound'])->name('leftovers.rewound');
Route::get('/bench', BenchController::class)->name('bench');
Route::get('/endpoints/static', [EndpointController::class, 'static']);
Route::get('/endpoints/database', [EndpointController::class, 'database']);
Route::get('/endpoints/cache', [EndpointController::class, 'cache']);
