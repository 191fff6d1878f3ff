<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

/** All pages that are counted, each in both modes; the cheapest with rewind, too. */
final readonly class Pages
{
    /** Cheap ones are asked more often. */
    private const SMALL = [9, 6];
    private const LARGE = [4, 3];

    /** @return list<Page> */
    public static function of(string $root): array
    {
        $heading = '<h1>Articles &amp; more</h1>';

        return [
            ...self::own("$root/bench/app/hello", ["--expect=Hello, World!\n"]),
            ...self::example("$root/examples/psr15", 'ping', ['--path=/ping', '--expect-part={"ack":18000000'], self::SMALL),
            ...self::example("$root/examples/symfony", 'symfony page', ['--path=/page', "--expect-part=$heading"]),
            ...self::example("$root/examples/laravel", 'laravel json', ['--path=/api/hello', '--expect={"message":"Hello"}']),
        ];
    }

    /** @return list<string> their folders, each with a bin/setup */
    public static function projects(string $root): array
    {
        return array_map(static fn (string $name) => "$root/examples/$name", ['psr15', 'symfony', 'laravel']);
    }

    /**
     * @param list<string> $request
     *
     * @return list<Page>
     */
    private static function own(string $script, array $request): array
    {
        return [
            new Page(basename($script), 'worker', "$script-worker.php", $request, ...self::SMALL),
            new Page(basename($script), 'worker', "$script-worker.php", $request, ...[...self::SMALL, true]),
            new Page(basename($script), 'classic', "$script.php", $request, ...self::SMALL),
        ];
    }

    /**
     * @param list<string>    $request
     * @param array{int, int} $requests
     *
     * @return list<Page>
     */
    private static function example(string $project, string $name, array $request, array $requests = self::LARGE): array
    {
        return [
            new Page($name, 'worker', "$project/public/frankenphp-worker.php", $request, ...$requests),
            new Page($name, 'classic', "$project/public/index.php", $request, ...$requests),
        ];
    }
}
