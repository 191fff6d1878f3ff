<?php

declare(strict_types=1);

namespace Howdah\Laravel;

use Illuminate\Support\ServiceProvider;
use Laravel\Octane\Commands as Octane;
use Laravel\Octane\FrankenPhp\ServerStateFile;

/**
 * Makes Octane's commands know a server that is called "howdah".
 *
 * Octane has no registry of servers: each of its commands has a `match` over three names. But Artisan makes its commands in the
 * container, so a class that extends one of them can stand in for it, whichever provider comes first. All other servers are
 * left to Octane's own code.
 */
final class HowdahServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(dirname(__DIR__) . '/config/howdah.php', 'howdah');

        $this->app->bind(HowdahCommand::class, static fn ($app): HowdahCommand => new HowdahCommand(
            (string) $app['config']->get('howdah.binary'),
        ));
        // Octane's state files differ in what the server is asked for; this one holds the process, and is at Octane's place.
        $this->app->bind(ServerProcessInspector::class, static fn ($app): ServerProcessInspector => new ServerProcessInspector(
            $app->make(ServerStateFile::class),
            $app->basePath(),
        ));
        $this->app->bind(Octane\InstallCommand::class, Commands\InstallCommand::class);
        $this->app->bind(Octane\StartCommand::class, Commands\StartCommand::class);
        $this->app->bind(Octane\ReloadCommand::class, Commands\ReloadCommand::class);
        $this->app->bind(Octane\StatusCommand::class, Commands\StatusCommand::class);
        $this->app->bind(Octane\StopCommand::class, Commands\StopCommand::class);
    }

    public function boot(): void
    {
        if ($this->app->runningInConsole()) {
            $this->commands([Commands\StartHowdahCommand::class]);
            $this->publishes([dirname(__DIR__) . '/config/howdah.php' => config_path('howdah.php')], 'howdah-config');
        }
    }
}
