<?php

declare(strict_types=1);

namespace Howdah\Worker\Laravel;

use Illuminate\Contracts\Http\Kernel;
use Illuminate\Foundation\Application as Laravel;
use Illuminate\Foundation\Bootstrap\RegisterProviders;
use Illuminate\Foundation\Bootstrap\SetRequestForConsole;
use Illuminate\Foundation\Http\Kernel as HttpKernel;
use Illuminate\Http\Request;
use ReflectionMethod;
use Throwable;

/** A Laravel application that is booted, and asked for one request after another. */
final readonly class Application
{
    /**
     * Made before the first request, as Octane does: what they know of one is taken from them (Sandbox), and what is made while
     * one runs finds the same objects as what the application has made while it booted.
     */
    private const WARM = ['auth', 'blade.compiler', 'cache', 'config', 'cookie', 'db', 'db.factory', 'encrypter', 'files',
        'hash', 'log', 'router', 'routes', 'session', 'translation.loader', 'translator', 'url', 'validator', 'view',
        'view.finder'];

    private function __construct(private Laravel $app, private HttpKernel $kernel, private Kept $kept)
    {
    }

    public static function boot(Laravel $app): self
    {
        /** @var HttpKernel $kernel */
        $kernel = $app->make(Kernel::class);
        $app->bootstrapWith(self::bootstrappers($kernel));
        $app->loadDeferredProviders();
        foreach (self::WARM as $service) {
            if ($app->bound($service)) {
                $app->make($service);
            }
        }

        return new self($app, $kernel, Kept::of($app));
    }

    /**
     * Providers may look at the request while they register, and there is none yet: they get the one of the console.
     *
     * @return list<class-string>
     */
    private static function bootstrappers(HttpKernel $kernel): array
    {
        /** @var list<class-string> $bootstrappers */
        $bootstrappers = (new ReflectionMethod($kernel, 'bootstrappers'))->invoke($kernel);
        $before = array_search(RegisterProviders::class, $bootstrappers, true);
        if ($before !== false) {
            array_splice($bootstrappers, (int) $before, 0, [SetRequestForConsole::class]);
        }

        return $bootstrappers;
    }

    public function handle(): void
    {
        $request = Request::capture();
        $sandbox = new Sandbox($this->app, $this->kernel, $this->kept, $request);
        try {
            $response = $this->kernel->handle($request);
            $response->send();
            $this->kernel->terminate($request, $response);
        } catch (Throwable $exception) {
            $sandbox->answer($exception, $request);
        } finally {
            // The route outlives the request; its controller holds services of the sandbox.
            $route = $request->route();
            if (is_object($route) && method_exists($route, 'flushController')) {
                $route->flushController();
            }
            $sandbox->leave();
        }
    }
}
