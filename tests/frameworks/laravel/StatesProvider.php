<?php

declare(strict_types=1);

use Illuminate\Broadcasting\BroadcastManager;
use Illuminate\Contracts\Auth\Access\Gate;
use Illuminate\Contracts\Routing\ResponseFactory;
use Illuminate\Foundation\Vite;
use Illuminate\Http\Client\Factory;
use Illuminate\Notifications\ChannelManager;
use Illuminate\Pipeline\Hub;
use Illuminate\Support\ServiceProvider;

/** Resolves while the application boots all services whose state a request may change, as providers of packages do. */
final class StatesProvider extends ServiceProvider
{
    public const EARLY = ['auth', 'cache', 'cookie', 'db', 'filesystem', 'log', 'mail.manager', 'queue', 'session',
        'session.store',
        'translator', 'url', 'redirect', 'validator', 'view', ResponseFactory::class, Vite::class, Factory::class, Gate::class,
        BroadcastManager::class, ChannelManager::class, Hub::class];

    public function register(): void
    {
        config([
            'app.key' => 'base64:' . base64_encode(str_repeat('k', 32)),
            'database.default' => 'sqlite',
            'database.connections.sqlite.database' => ':memory:',
            'session.driver' => 'array',
            'cache.default' => 'array',
            'mail.default' => 'array',
            'queue.default' => 'sync',
            'logging.default' => 'stderr',
        ]);
        $this->app->scoped('scoped', static fn (): object => new ArrayObject(['as made']));
    }

    public function boot(): void
    {
        foreach (self::EARLY as $service) {
            $this->app->make($service);
        }
        $this->app->make('db')->connection();
        $this->app->make('log')->channel('stderr');
        $this->app->make('mail.manager')->mailer();
        $this->app->make('scoped');
    }
}
