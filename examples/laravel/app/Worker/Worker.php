<?php

declare(strict_types=1);

namespace App\Worker;

use Carbon\Laravel\ServiceProvider as CarbonServiceProvider;
use Illuminate\Container\Container;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Http\Kernel as HttpKernel;
use Illuminate\Http\Request;

/**
 * The life of a request in an application that was booted once.
 *
 * Each request gets a clone of the application ("sandbox", as in Laravel Octane): what it resolves or binds goes with the
 * clone, so session, auth guards, cookies, view data, locale and scoped instances are new each time. Sandbox resets what the
 * clone shares with the application. Requests that are in flight at the same time need nothing of this: they run in different
 * realms, which share nothing.
 */
final class Worker
{
    /** Built before the first request: they know neither a request nor the sandbox, and are slow to build. */
    private const WARM = ['blade.compiler', 'db', 'encrypter', 'files', 'hash', 'router', 'translation.loader', 'view.finder'];

    private function __construct(private readonly Application $app, private readonly HttpKernel $kernel)
    {
    }

    public static function boot(Application $app): self
    {
        /** @var HttpKernel $kernel */
        $kernel = $app->make(Kernel::class);
        // Providers may look at the request while they boot, and there is none yet.
        $app->instance('request', Request::create('http://localhost'));
        $kernel->bootstrap();
        // Dates follow the locale of the application, and that is each request's own.
        $app->getProvider(CarbonServiceProvider::class)?->setAppGetter(Container::getInstance(...));
        foreach (self::WARM as $service) {
            $app->make($service);
        }

        return new self($app, $kernel);
    }

    public function handle(): void
    {
        $sandbox = new Sandbox($this->app, $this->kernel);
        try {
            $request = Request::capture();
            $response = $this->kernel->handle($request);
            $response->send();
            $this->kernel->terminate($request, $response);
            // The route outlives the request; its controller holds services of the sandbox.
            $request->route()?->flushController();
        } finally {
            $sandbox->leave();
        }
    }
}
