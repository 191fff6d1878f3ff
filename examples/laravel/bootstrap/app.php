<?php

declare(strict_types=1);

use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;
use Illuminate\Http\Middleware\HandleCors;

return Application::configure(basePath: dirname(__DIR__))
    ->withRouting(
        web: __DIR__ . '/../routes/web.php',
        api: __DIR__ . '/../routes/api.php',
        apiPrefix: '',
        health: '/up',
    )
    ->withMiddleware(function (Middleware $middleware): void {
        // Its package is replaced in composer.json.
        $middleware->remove(HandleCors::class);
        // The tests read and send these as they are.
        $middleware->encryptCookies(except: ['probe', 'probe_app', 'probe_in']);
        $middleware->validateCsrfTokens(except: ['probe']);
    })
    ->withExceptions(function (Exceptions $exceptions): void {
        $exceptions->shouldRenderJsonWhen(fn ($request): bool => $request->expectsJson());
    })
    ->create();
