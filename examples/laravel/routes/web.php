<?php

declare(strict_types=1);

use App\Http\Controllers\CounterController;
use App\Http\Controllers\EndpointController;
use App\Http\Controllers\FrontController;
use App\Http\Controllers\ProbeController;
use Illuminate\Support\Facades\Route;

Route::get('/', FrontController::class)->name('front');
Route::get('/counter', CounterController::class)->name('counter');
Route::get('/endpoints/session', [EndpointController::class, 'session']);
Route::get('/endpoints/all', [EndpointController::class, 'all']);
Route::match(['get', 'post'], '/probe', ProbeController::class)->name('probe');
