<?php

/**
 * Laravel's example with a service provider that leaks, and a worker script that resets nothing. /leaks tells what it finds of
 * each leak, and leaks: into a static list, listeners, the configuration, the locale, Carbon's clock, a singleton.
 */

declare(strict_types=1);

use Illuminate\Contracts\Http\Kernel;
use Illuminate\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\ServiceProvider;

require dirname(__DIR__, 3) . '/examples/laravel/vendor/autoload.php';

final class LeakingServiceProvider extends ServiceProvider
{
    /** @var list<string> */
    private static array $seen = [];

    public function register(): void
    {
        $this->app->singleton('leaks.counter', static fn () => new ArrayObject());
    }

    public function boot(): void
    {
        Route::get('/leaks', function (): string {
            $found = $this->found();
            $this->leak();

            return $found . "\n";
        });
    }

    private function found(): string
    {
        $counter = $this->app->make('leaks.counter');

        return implode(' ', [
            count(self::$seen), count(Event::getRawListeners()['leaks'] ?? []), config('app.name'), $this->app->getLocale(),
            Carbon::hasTestNow() ? 'stands' : 'runs', count($counter), date_default_timezone_get(),
        ]);
    }

    private function leak(): void
    {
        self::$seen[] = str_repeat('x', 100_000);
        Event::listen('leaks', static fn () => null);
        config(['app.name' => config('app.name') . '!']);
        $this->app->setLocale('de');
        Carbon::setTestNow('2001-01-01');
        $this->app->make('leaks.counter')[] = $this;
        date_default_timezone_set('Asia/Tokyo');
    }
}

$app = require dirname(__DIR__, 3) . '/examples/laravel/bootstrap/app.php';
assert($app instanceof Application);
$kernel = $app->make(Kernel::class);
$app->instance('request', Request::create('/'));
$kernel->bootstrap();
$app->register(LeakingServiceProvider::class);

while (
    frankenphp_handle_request(static function () use ($kernel): void {
        $request = Request::capture();
        $response = $kernel->handle($request)->send();
        $kernel->terminate($request, $response);
    })
) {
}
