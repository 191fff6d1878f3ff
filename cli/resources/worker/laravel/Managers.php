<?php

declare(strict_types=1);

namespace Howdah\Worker\Laravel;

use Closure;
use Illuminate\Broadcasting\BroadcastManager;
use Illuminate\Contracts\Auth\Access\Gate;
use Illuminate\Foundation\Application as Laravel;
use Illuminate\Notifications\ChannelManager;
use Illuminate\Pipeline\Hub;
use Monolog\ResettableInterface;
use Throwable;

/**
 * Services that providers may have resolved while the application booted, with what they keep of a request. The list is that of
 * the listeners of Laravel Octane.
 */
final readonly class Managers
{
    /** Each method is called where it exists, with the request's application where it takes one. */
    private const CALLS = [
        'auth' => ['setApplication', 'forgetGuards'],
        'session' => ['setContainer', 'forgetDrivers'],
        'cookie' => ['flushQueuedCookies'],
        'cache' => ['setApplication'],
        'db' => ['setApplication'],
        'filesystem' => ['setApplication'],
        'mail.manager' => ['setApplication', 'forgetMailers'],
        'queue' => ['setApplication'],
        'validator' => ['setContainer'],
        'view' => ['setContainer'],
        Gate::class => ['setContainer'],
        BroadcastManager::class => ['setApplication'],
        ChannelManager::class => ['setContainer', 'forgetDrivers'],
        Hub::class => ['setContainer'],
        'Inertia\ResponseFactory' => ['flushShared'],
        'Livewire\LivewireManager' => ['flushState'],
        'Laravel\Scout\EngineManager' => ['forgetEngines'],
        'Laravel\Socialite\Contracts\Factory' => ['forgetDrivers', 'setContainer'],
    ];

    private const TAKE_THE_APPLICATION = ['setApplication', 'setContainer'];

    public static function handTo(Laravel $app): void
    {
        foreach (self::CALLS as $name => $methods) {
            self::withResolved($app, $name, static function (object $service) use ($app, $methods): void {
                foreach ($methods as $method) {
                    if (method_exists($service, $method)) {
                        $service->$method(...(in_array($method, self::TAKE_THE_APPLICATION, true) ? [$app] : []));
                    }
                }
            });
        }
        self::withResolved($app, 'view', static function (object $view) use ($app): void {
            $view->share('app', $app);
            $view->share('__env', $view);
        });
        self::withResolved($app, 'translator', static function (object $translator) use ($app): void {
            $translator->setLocale($app->make('config')->get('app.locale'));
            $translator->setFallback($app->make('config')->get('app.fallback_locale'));
            if (method_exists($translator, 'flushParsedKeys')) {
                $translator->flushParsedKeys();
            }
        });
    }

    /** What is shared with the next request is left as if there had been none. */
    public static function close(Laravel $app): void
    {
        self::withResolved($app, 'db', self::connections(...));
        self::withResolved($app, 'cache', static function (object $cache) use ($app): void {
            if ($app->make('config')->get('cache.stores.array') !== null) {
                $cache->store('array')->flush();
            }
        });
        self::withResolved($app, 'log', static function (object $log): void {
            foreach (['flushSharedContext', 'withoutContext'] as $method) {
                if (method_exists($log, $method)) {
                    $log->$method();
                }
            }
            foreach ($log->getChannels() as $channel) {
                if (method_exists($channel, 'withoutContext')) {
                    $channel->withoutContext();
                }
                $logger = method_exists($channel, 'getLogger') ? $channel->getLogger() : null;
                if ($logger instanceof ResettableInterface) {
                    $logger->reset();
                }
            }
        });
    }

    private static function connections(object $db): void
    {
        foreach ($db->getConnections() as $connection) {
            try {
                // A request that failed in the middle of a transaction must not hand it on to the next.
                $connection->rollBack(0);
            } catch (Throwable) {
                $connection->disconnect();
            }
            $connection->flushQueryLog();
            $connection->disableQueryLog();
            $connection->forgetRecordModificationState();
            $connection->resetTotalQueryDuration();
            $connection->allowQueryDurationHandlersToRunAgain();
        }
    }

    private static function withResolved(Laravel $app, string $name, Closure $action): void
    {
        if ($app->resolved($name) && $app->isShared($name)) {
            $action($app->make($name));
        }
    }
}
