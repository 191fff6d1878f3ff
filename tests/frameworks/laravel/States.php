<?php

declare(strict_types=1);

use Carbon\Carbon;
use Illuminate\Auth\GenericUser;
use Illuminate\Contracts\Auth\Access\Gate;
use Illuminate\Pagination\Paginator;
use Illuminate\Support\Facades\App;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Cookie;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Http;
use Illuminate\Support\Facades\Lang;
use Illuminate\Support\Facades\Log;
use Illuminate\Support\Facades\Mail;
use Illuminate\Support\Facades\Session;
use Illuminate\Support\Facades\URL;
use Illuminate\Support\Facades\Validator;
use Illuminate\Support\Facades\View;
use Illuminate\Support\Facades\Vite;
use Illuminate\Support\Number;
use Illuminate\Support\Str;

/** What a request may leave behind: how it is changed, and how it is seen. */
final class States
{
    public static int $own = 0;

    private static string $called = '';

    /** @return array<string, array{Closure, Closure}> */
    public static function all(): array
    {
        return [
            'config' => [fn () => config(['app.name' => 'changed']), fn () => config('app.name')],
            'locale' => [fn () => App::setLocale('fr'), fn () => [App::getLocale(), Lang::getLocale()]],
            'fallback locale' => [fn () => Lang::setFallback('fr'), fn () => Lang::getFallback()],
            'parsed keys' => [fn () => Lang::setParsedKey('a.b', ['x', 'y', 'z']), fn () => Lang::parseKey('a.b')],
            'date locale' => [fn () => Carbon::setLocale('fr'), fn () => Carbon::getLocale()],
            'test time' => [fn () => Carbon::setTestNow('2001-01-01'), fn () => Carbon::hasTestNow()],
            'queued cookie' => [fn () => Cookie::queue('a', 'b'), fn () => Cookie::getQueuedCookies()],
            'session' => [fn () => Session::put('user', 7), fn () => Session::all()],
            'session id' => [fn () => Session::setId(str_repeat('a', 40)), fn () => Session::getId() === str_repeat('a', 40)],
            'user' => [fn () => Auth::setUser(new GenericUser(['id' => 7])), fn () => Auth::check()],
            'user of the request' => [
                fn () => Auth::setUser(new GenericUser(['id' => 7])),
                fn () => request()->user() !== null,
            ],
            'who resolves users' => [
                fn () => Auth::resolveUsersUsing(fn () => new GenericUser(['id' => 7])),
                fn () => request()->user() !== null,
            ],
            'locale of messages' => [fn () => App::setLocale('fr'), fn () => Validator::getTranslator()->getLocale()],
            'page before' => [
                fn () => Session::put('_previous.url', 'http://a.example/x'),
                fn () => url()->previous(),
            ],
            'target of redirections' => [
                fn () => URL::useOrigin('https://evil.example'),
                fn () => redirect('/x')->getTargetUrl(),
            ],
            'target of redirections of responses' => [
                fn () => URL::useOrigin('https://evil.example'),
                fn () => response()->redirectTo('/x')->getTargetUrl(),
            ],
            'data of a page' => [
                fn () => View::share('user', 'root'),
                fn () => response()->view('who')->getContent(),
            ],
            'nonce of scripts' => [fn () => Vite::useCspNonce('n'), fn () => Vite::cspNonce()],
            'options of clients' => [
                fn () => Http::globalOptions(['timeout' => 7]),
                fn () => self::property(Http::getFacadeRoot(), 'globalOptions'),
            ],
            'default guard' => [fn () => Auth::shouldUse('other'), fn () => Auth::getDefaultDriver()],
            'shared view data' => [fn () => View::share('user', 'root'), fn () => View::shared('user')],
            'default of URLs' => [fn () => URL::defaults(['tenant' => 7]), fn () => URL::getDefaultParameters()],
            'root of URLs' => [fn () => URL::useOrigin('https://evil.example'), fn () => url('/x')],
            'request' => [fn () => request()->attributes->set('a', 1), fn () => [request()->path(),
                request()->attributes->all()]],
            'page' => [fn () => Paginator::resolveCurrentPage(), fn () => Paginator::resolveCurrentPage()],
            'query log' => [function (): void {
                DB::enableQueryLog();
                DB::select('select 1');
            }, fn () => [DB::logging(), DB::getQueryLog()]],
            'transaction' => [fn () => DB::beginTransaction(), fn () => DB::transactionLevel()],
            'records modified' => [fn () => DB::recordsHaveBeenModified(), fn () => DB::hasModifiedRecords()],
            'query duration' => [fn () => DB::select('select 1'), fn () => DB::totalQueryDuration()],
            'array cache' => [fn () => Cache::store('array')->put('user', 7), fn () => Cache::store('array')->get('user')],
            'shared log context' => [fn () => Log::shareContext(['user' => 7]), fn () => Log::sharedContext()],
            'log context' => [fn () => Log::withContext(['user' => 7]), fn () => self::property(Log::channel(), 'context')],
            'mail to all' => [fn () => Mail::alwaysTo('x@y.example'), fn () => self::property(
                app('mail.manager')->mailer(),
                'to'
            )],
            'once' => [fn () => self::once('x'), fn () => self::once('y')],
            'case of strings' => [fn () => Str::snake('fooBar'), fn () => self::ofClass(Str::class, 'snakeCache')],
            'locale of numbers' => [fn () => Number::useLocale('fr'), fn () => Number::defaultLocale()],
            'scoped' => [fn () => app('scoped')->append('more'), fn () => (array) app('scoped')],
            'binding' => [fn () => app()->instance('mine', 7), fn () => app()->bound('mine')],
            'gate' => [fn () => null, fn () => self::knows(Gate::class, 'container')],
            'broadcasting' => [fn () => null, fn () => self::knows(Illuminate\Broadcasting\BroadcastManager::class, 'app')],
            'notifications' => [fn () => null, fn () => self::knows(
                Illuminate\Notifications\ChannelManager::class,
                'container'
            )],
            'pipelines' => [fn () => null, fn () => self::knows(Illuminate\Pipeline\Hub::class, 'container')],
            ...self::managers(),
        ];
    }

    /**
     * One that still knows the application of another request would give it that one's services.
     *
     * @return array<string, array{Closure, Closure}>
     */
    private static function managers(): array
    {
        $managers = ['auth' => 'app', 'cache' => 'app', 'db' => 'app', 'filesystem' => 'app', 'mail.manager' => 'app',
            'queue' => 'app', 'router' => 'container', 'session' => 'container', 'validator' => 'container',
                'view' => 'container'];
        $states = [];
        foreach ($managers as $name => $property) {
            $states["manager $name"] = [fn () => null, fn () => self::knows($name, $property)];
        }

        return $states;
    }

    /** @return array{string, bool} */
    private static function knows(string $service, string $property): array
    {
        return ['the application of this request', self::property(app($service), $property) === app()];
    }

    private static function property(object $object, string $name): mixed
    {
        return (new ReflectionProperty($object, $name))->getValue($object);
    }

    private static function ofClass(string $class, string $name): mixed
    {
        return (new ReflectionProperty($class, $name))->getValue();
    }

    /** What is called now counts only where nothing is remembered. */
    private static function once(string $value): string
    {
        self::$called = $value;

        return once(static fn (): string => self::$called);
    }
}
