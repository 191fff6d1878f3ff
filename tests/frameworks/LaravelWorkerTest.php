<?php

/**
 * Howdah's own worker script for Laravel: what one request changes, the next one of the same realm does not find. What it shall
 * find is what the application says in classic mode, where each request has a new one.
 */

declare(strict_types=1);

namespace Howdah\FrameworkTests;

use Howdah\HttpTests\Client;
use Howdah\HttpTests\Server;
use PHPUnit\Framework\TestCase;

final class LaravelWorkerTest extends TestCase
{
    private const EXAMPLE = __DIR__ . '/../../examples/laravel';

    private static string $project = '';
    private static ?Server $classic = null;
    private static ?Server $worker = null;

    public static function setUpBeforeClass(): void
    {
        exec(escapeshellarg(self::EXAMPLE . '/bin/setup') . ' 2>&1', $output, $status);
        self::assertSame(0, $status, implode("\n", $output));
        self::$project = sys_get_temp_dir() . '/howdah-test-' . bin2hex(random_bytes(6));
        exec('cp -r ' . escapeshellarg(__DIR__ . '/laravel') . ' ' . escapeshellarg(self::$project));
        foreach (['bootstrap/cache', 'storage/framework/views', 'storage/logs'] as $folder) {
            mkdir(self::$project . "/$folder", 0777, true);
        }
        symlink((string) realpath(self::EXAMPLE . '/vendor'), self::$project . '/vendor');
        touch(self::$project . '/artisan');
        self::$classic = Server::serving(self::$project, '--workers=1', '--concurrency=1');
        self::$worker = Server::serving(self::$project, '--mode=worker', '--workers=1', '--concurrency=1');
    }

    public static function tearDownAfterClass(): void
    {
        self::$classic?->stop();
        self::$worker?->stop();
        exec('rm -rf ' . escapeshellarg(self::$project));
    }

    public function test_without_octane_the_mode_is_classic_unless_worker_mode_is_asked_for(): void
    {
        self::assertStringContainsString('in classic mode', (string) self::$classic?->errors());
        self::assertStringContainsString(
            'Laravel without Octane, which nobody has said outlives a request: --mode=worker boots it once',
            (string) self::$classic?->errors()
        );
        self::assertStringContainsString('resources/worker/laravel.php', (string) self::$worker?->errors());
    }

    public function test_what_a_request_changes_the_next_one_does_not_find(): void
    {
        self::assertNotNull(self::$classic);
        self::assertNotNull(self::$worker);
        $fresh = $this->client(self::$classic);
        $kept = $this->client(self::$worker);
        /** @var list<string> $names */
        $names = json_decode($fresh->get('/names')->body, true, flags: JSON_THROW_ON_ERROR);
        self::assertGreaterThan(35, count($names));
        $wrong = [];
        foreach ($names as $name) {
            $path = rawurlencode($name);
            $expected = $fresh->get("/get/$path")->body;
            $isOfServer = str_contains($expected, 'application of this request');
            if (!$isOfServer && $fresh->get("/both/$path?page=7")->body === $expected) {
                $wrong[$name] = "nothing is changed: the check cannot fail ($expected)";
                continue;
            }
            self::assertSame('set', $kept->get("/set/$path?page=7")->body, $name);
            $found = $kept->get("/get/$path")->body;
            if ($found !== str_replace((string) self::$classic->port, (string) self::$worker->port, $expected)) {
                $wrong[$name] = "$found instead of $expected";
            }
        }

        self::assertSame([], $wrong);
        self::assertStringNotContainsString('ended', self::$worker->errors(), 'the realm was another one');
    }

    /** Why worker mode is not taken by itself: nobody but the application knows of it. */
    public function test_a_static_property_of_the_application_outlives_a_request(): void
    {
        self::assertNotNull(self::$worker);
        $client = $this->client(self::$worker);

        self::assertSame(['1', '2'], [$client->get('/count')->body, $client->get('/count')->body]);
    }

    /** Laravel looks for the middleware again when the answer has been sent, and nobody catches that. */
    public function test_an_exception_that_the_kernel_does_not_catch_is_reported_and_costs_no_realm(): void
    {
        self::assertNotNull(self::$classic);
        self::assertNotNull(self::$worker);
        $fresh = $this->client(self::$classic)->get('/no-middleware');
        $client = $this->client(self::$worker);
        $count = (int) $client->get('/count')->body;
        $kept = $client->get('/no-middleware');

        self::assertSame([500, 500], [$fresh->status, $kept->status]);
        self::assertSame($count + 1, (int) $client->get('/count')->body, 'the realm was another one');
        foreach ([self::$classic, self::$worker] as $server) {
            $told = substr_count($server->errors(), 'production.ERROR: Target class [NoSuchMiddleware] does not exist');
            self::assertSame(2, $told, $server->errors());
            self::assertStringNotContainsString('Class "config" does not exist', $server->errors());
        }
    }

    private function client(Server $server): Client
    {
        return new Client("http://127.0.0.1:{$server->port}");
    }
}
