<?php

declare(strict_types=1);

namespace App\Probe;

use App\Models\User;
use Carbon\Carbon;
use Generator;
use Howdah\Tests\Isolation\Probe;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\View;

/**
 * What Laravel keeps in its container, in facades and in static properties.
 *
 * @phpstan-import-type Check from \Howdah\Tests\Isolation\Checks
 */
final class LaravelChecks
{
    private const LOCALES = ['en', 'nb', 'de', 'sw', 'ja'];

    public function __construct(private readonly Probe $probe, private readonly Request $request)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        return [
            'laravel container' => $this->container(),
            'laravel config' => $this->config(),
            'laravel request' => $this->request(),
            'laravel session' => $this->session(),
            'laravel locale' => $this->locale(),
            'laravel auth' => $this->auth(),
            'laravel view' => $this->view(),
        ];
    }

    /** @return Check */
    private function container(): Generator
    {
        $made = 0;
        $before = [app()->bound('probe.instance'), app()->bound('probe.singleton')];
        app()->instance('probe.instance', $this->probe->mark('instance'));
        app()->singleton('probe.singleton', function () use (&$made): array {
            return [$this->probe->mark('singleton'), ++$made];
        });
        $container = app();
        yield fn (): array => [
            'left by an earlier request' => [[false, false], $before],
            'instance' => [$this->probe->mark('instance'), app('probe.instance')],
            'singleton' => [[$this->probe->mark('singleton'), 1], app('probe.singleton')],
            'container' => [$container, app()],
        ];
    }

    /** @return Check */
    private function config(): Generator
    {
        $before = config('probe.value');
        config(['probe.value' => $this->probe->mark('config')]);
        yield fn (): array => [
            'left by an earlier request' => [null, $before],
            'value' => [$this->probe->mark('config'), config('probe.value')],
        ];
    }

    /** @return Check */
    private function request(): Generator
    {
        yield fn (): array => [
            'request' => [$this->request, request()],
            'query' => [$this->probe->id, request()->query('id')],
            'header' => [$this->probe->mark('header'), request()->header('X-Probe')],
            'cookie' => [$this->probe->mark('cookie'), request()->cookie('probe_in')],
            'url' => [true, str_contains(url()->full(), "id={$this->probe->id}")],
            'route' => ['probe', request()->route()?->getName()],
            'input' => [
                in_array(request()->query('kind'), ['form', 'upload'], true) ? $this->probe->mark('field') : null,
                request()->input('field'),
            ],
        ];
    }

    /** @return Check */
    private function session(): Generator
    {
        $id = session()->getId();
        session(['mark' => $this->probe->mark('session')]);
        yield fn (): array => [
            'value' => [$this->probe->mark('session'), session('mark')],
            'id' => [$id, session()->getId()],
        ];
    }

    /** @return Check */
    private function locale(): Generator
    {
        $before = [app()->getLocale(), Carbon::getLocale()];
        $locale = $this->probe->choose('laravel locale', self::LOCALES);
        app()->setLocale($locale);
        yield fn (): array => [
            'left by an earlier request' => [['en', 'en'], $before],
            'application' => [$locale, app()->getLocale()],
            'translator' => [$locale, trans()->getLocale()],
            'dates' => [$locale, Carbon::getLocale()],
        ];
    }

    /** @return Check */
    private function auth(): Generator
    {
        $before = Auth::id();
        $user = (new User())->forceFill(['id' => 1 + $this->probe->number('user', 100)]);
        Auth::setUser($user);
        yield fn (): array => [
            'left by an earlier request' => [null, $before],
            'user' => [$user, Auth::user()],
            'user of the request' => [$user, $this->request->user()],
        ];
    }

    /** @return Check */
    private function view(): Generator
    {
        $before = View::shared('mark');
        View::share('mark', $this->probe->mark('view'));
        // The template waits between its sections, while the factory holds them half done.
        $html = view('probe', ['wait' => $this->probe->pause(...)])->render();
        yield fn (): array => [
            'left by an earlier request' => [null, $before],
            'shared' => [$this->probe->mark('view'), View::shared('mark')],
            'rendered' => ["a: {$this->probe->mark('view')} b: {$this->probe->mark('view')}", trim($html)],
        ];
    }
}
