<?php

declare(strict_types=1);

namespace Howdah\Worker\Laravel;

use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Routing\ResponseFactory;
use Illuminate\Events\Dispatcher;
use Illuminate\Foundation\Application as Laravel;
use Illuminate\Foundation\Http\Kernel as HttpKernel;
use Illuminate\Http\Request;
use Illuminate\Pagination\PaginationState;
use Illuminate\Support\Facades\Facade;
use ReflectionProperty;
use Throwable;

/**
 * A clone of the application for one request. What the request resolves or binds goes with the clone; services that were
 * resolved while the application booted are shared with it, and those that Laravel is known to change in a request are
 *   1. put back as they were (Kept);
 *   2. told of the clone and emptied (Managers);
 *   3. made anew for each request (ANEW);
 *   4. where they are statics, reset at the end (Statics).
 */
final readonly class Sandbox
{
    /** Made of others that know the request, once. */
    private const ANEW = ['auth.driver', 'session.store', 'redirect', ResponseFactory::class];

    private Laravel $app;

    public function __construct(
        private Laravel $original,
        private HttpKernel $kernel,
        private Kept $kept,
        Request $request,
    ) {
        $this->app = clone $original;
        $this->enter($this->app);
        foreach (self::ANEW as $name) {
            $this->app->forgetInstance($name);
        }
        Managers::handTo($this->app);
        $this->app->instance('request', $request);
        PaginationState::resolveUsing($this->app);
    }

    /**
     * What the kernel did not catch: a middleware that cannot be made when the request is over, or a callback that streams.
     * Laravel's handler of last resort, which does the same, would come when this application has gone.
     */
    public function answer(Throwable $exception, Request $request): void
    {
        /** @var ExceptionHandler $handler */
        $handler = $this->app->make(ExceptionHandler::class);
        try {
            $handler->report($exception);
        } catch (Throwable $failure) {
            error_log("howdah: Laravel could not report $exception: {$failure->getMessage()}");
        }
        $handler->render($request, $exception)->send();
    }

    public function leave(): void
    {
        Managers::close($this->app);
        $this->kept->putBack();
        Statics::reset($this->original);
        // Bindings that are to last as long as a request (scoped()) may have been resolved in the original while it booted.
        $this->original->forgetScopedInstances();
        $this->app->flush();
        foreach (['blade', 'php'] as $engine) {
            $this->original->make('view.engine.resolver')->forget($engine);
        }
        $this->enter($this->original);
    }

    private function enter(Laravel $app): void
    {
        $app->instance('app', $app);
        $app->instance(Container::class, $app);
        Container::setInstance($app);
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication($app);
        $this->kernel->setApplication($app);
        $app->make('router')->setContainer($app);
        // Listeners are made by the container that the dispatcher has: it asks for services of the request, as they do.
        $events = $app->make('events');
        if ($events instanceof Dispatcher) {
            (new ReflectionProperty(Dispatcher::class, 'container'))->setValue($events, $app);
        }
    }
}
