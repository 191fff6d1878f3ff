<?php

/**
 * An application with a provider that leaks with each request: a static list, a listener, a cycle, changed configuration, a
 * clock that stands still, another locale and time zone, a megabyte. What it answers tells of all of them.
 */

declare(strict_types=1);

final class Application
{
    /** @var array<string, mixed> */
    public array $config = ['name' => 'application', 'locale' => 'en', 'features' => []];

    /** @var list<Closure(): void> */
    public array $listeners = [];

    /** @var array<string, object> */
    public array $services = [];
}

final class Clock
{
    public static ?int $standsAt = null;
}

final class LeakingProvider
{
    /** @var list<string> */
    private static array $seen = [];

    private ?self $self = null;

    private string $megabyte = '';

    /** @var array<string, int> */
    private array $counts = ['boots' => 0];

    public function boot(Application $app): void
    {
        self::$seen[] = "request {$this->counts['boots']}";
        $this->counts['boots']++;
        $app->listeners[] = function () use ($app): void {
            $app->config['features'][] = count($this->counts);
        };
        array_map(static fn (Closure $listener) => $listener(), $app->listeners);
        $app->config['locale'] = 'de';
        $app->config['name'] .= '!';
        $app->services["service {$this->counts['boots']}"] = new ArrayObject([$app]);
        Clock::$standsAt = 42;
        date_default_timezone_set('Asia/Tokyo');
        setlocale(LC_ALL, 'C.UTF-8');
        ini_set('precision', '5');
        $lost = new self();
        $lost->self = $lost;
        $lost->megabyte = str_repeat('x', 1 << 20);
        spl_autoload_register(static fn (string $class) => null);
        set_error_handler(static fn () => true);
        $GLOBALS['leaked'][] = $lost;
    }

    public function answer(Application $app): string
    {
        return implode(' ', [
            count(self::$seen), count($app->listeners), count($app->services), count($app->config['features']),
            $app->config['name'], $app->config['locale'], Clock::$standsAt ?? 'runs', date_default_timezone_get(),
            setlocale(LC_ALL, '0'), 1 / 3, count(spl_autoload_functions()), memory_get_usage() >> 20,
        ]);
    }
}

date_default_timezone_set('UTC');
$app = new Application();
$provider = new LeakingProvider();

while (
    frankenphp_handle_request(static function () use ($app, $provider): void {
        $answer = $provider->answer($app);
        $provider->boot($app);
        echo $answer, "\n";
    })
) {
}
