<?php

declare(strict_types=1);

namespace App\Worker;

use Carbon\Carbon;
use Carbon\CarbonImmutable;
use Illuminate\Container\Container;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Pagination\PaginationState;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Once;
use Illuminate\Support\Str;

/**
 * A clone of the application for one request, and the resets of what a clone shares with its original.
 */
final class Sandbox
{
    private readonly Application $app;

    public function __construct(private readonly Application $original, private readonly Kernel $kernel)
    {
        $this->app = clone $original;
        $this->app->instance('app', $this->app);
        $this->app->instance(Container::class, $this->app);
        $this->app->instance('config', clone $this->app->make('config'));
        $this->makeCurrent($this->app);
        $this->kernel->setApplication($this->app);
        $this->app->make('router')->setContainer($this->app);
        $this->app->make('db')->setApplication($this->app);
        PaginationState::resolveUsing($this->app);
    }

    public function leave(): void
    {
        $this->resetConnections();
        $this->resetStatics();
        $this->app->flush();
        $this->makeCurrent($this->original);
        $this->kernel->setApplication($this->original);
        $this->original->make('router')->setContainer($this->original);
        $this->original->make('db')->setApplication($this->original);
    }

    private function makeCurrent(Application $app): void
    {
        Container::setInstance($app);
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication($app);
    }

    private function resetConnections(): void
    {
        foreach ($this->app->make('db')->getConnections() as $connection) {
            // A request that failed in the middle of a transaction must not hand it on to the next.
            $connection->rollBack(0);
            $connection->flushQueryLog();
            $connection->forgetRecordModificationState();
        }
    }

    private function resetStatics(): void
    {
        $locale = $this->original->make('config')->string('app.locale');
        foreach ([Carbon::class, CarbonImmutable::class] as $date) {
            $date::setLocale($locale);
            $date::setTestNow();
        }
        Once::flush();
        Str::flushCache();
    }
}
