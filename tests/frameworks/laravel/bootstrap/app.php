<?php

declare(strict_types=1);

/* A Laravel application for LaravelWorkerTest: its provider resolves while it boots what a request then changes. */

use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;
use Illuminate\Http\Middleware\HandleCors;
use Illuminate\Support\Facades\Route;

require_once __DIR__ . '/../States.php';
require_once __DIR__ . '/../StatesProvider.php';

return Application::configure(basePath: dirname(__DIR__))
    ->withProviders([StatesProvider::class])
    ->withRouting(using: static function (): void {
        Route::get('/names', static fn (): array => array_keys(States::all()));
        Route::get('/set/{name}', static function (string $name): string {
            (States::all()[$name][0])();

            return 'set';
        });
        Route::get('/both/{name}', static function (string $name): string {
            (States::all()[$name][0])();

            return json_encode((States::all()[$name][1])()) ?: 'null';
        });
        Route::get('/no-middleware', static fn (): string => 'never')->middleware('NoSuchMiddleware');
        Route::get('/count', static fn (): string => (string) ++States::$own);
        Route::get('/get/{name}', static fn (string $name): string => json_encode((States::all()[$name][1])()) ?: 'null');
    })
    ->withMiddleware(static fn (Middleware $middleware) => $middleware->remove(HandleCors::class))
    ->withExceptions(static function (Exceptions $exceptions): void {
    })
    ->create();
