<?php

declare(strict_types=1);

namespace Howdah\Worker\Laravel;

use Carbon\Carbon;
use Carbon\CarbonImmutable;
use Carbon\Laravel\ServiceProvider as CarbonServiceProvider;
use Illuminate\Container\Container;
use Illuminate\Foundation\Application as Laravel;
use Illuminate\Support\Number;
use Illuminate\Support\Once;
use Illuminate\Support\Str;

/** Static properties of the framework and of what it is made of that a request changes. */
final readonly class Statics
{
    public static function reset(Laravel $original): void
    {
        $locale = (string) $original->make('config')->get('app.locale');
        foreach ([Carbon::class, CarbonImmutable::class] as $date) {
            $date::setLocale($locale);
            $date::setTestNow();
        }
        // Its provider asks the application that it was made with, and each request has its own.
        $original->getProvider(CarbonServiceProvider::class)?->setAppGetter(Container::getInstance(...));
        if (class_exists(Once::class)) {
            Once::flush();
        }
        Str::flushCache();
        if (class_exists(Number::class)) {
            Number::useLocale('en');
        }
    }
}
