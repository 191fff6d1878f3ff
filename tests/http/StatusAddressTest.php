<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;

/** `howdah serve --status`: figures and health on a port of their own. */
#[Group('realms')]
final class StatusAddressTest extends HttpTestCase
{
    protected const APP = __DIR__ . '/pool';

    public function test_figures_and_health_are_there_and_nowhere_else_also_after_a_worker_is_killed(): void
    {
        $port = Server::freePort();
        $options = ['--workers=2', '--worker-script=' . self::APP . '/worker.php', "--status=$port"];
        $server = $this->ownServer('worker', ...$options);
        $status = new Client("http://127.0.0.1:$port");
        self::assertStringContainsString("figures and health are at http://127.0.0.1:$port/metrics", $server->errors());
        foreach (['live', 'started', 'ready'] as $check) {
            self::assertSame(200, $status->get("/health/$check")->status, $check);
            self::assertNotSame("$check\n", $server->client->get("/health/$check")->body, 'it is the application\'s');
        }
        self::assertSame(404, $status->get('/')->status);
        self::assertStringNotContainsString('howdah_workers', $server->client->get('/metrics')->body);
        $lost = static fn (): bool => str_contains($status->get('/metrics')->body, "\nhowdah_workers_lost_total 1\n");
        self::assertFalse($lost());

        posix_kill($server->workers()[0], SIGKILL);

        Clock::await($lost, 'a worker is missed');
        $told = $status->get('/status')->json();
        self::assertSame(1, $told['workers_lost_total'] ?? $told['workers_lost'] ?? null);
        self::assertSame('dynamic', $status->get('/status?json')->json()['process manager']);

        $asked = static fn (string $host): int => $status->get('/metrics', [CURLOPT_HTTPHEADER => ["Host: $host"]])->status;
        self::assertSame([200, 200], [$asked("localhost:$port"), $asked("[::1]:$port")]);
        self::assertSame([403, 403], [$asked('example.com'), $asked('127.0.0.1.example.com')], 'DNS rebinding');
        $old = $status->get('/health/ready', [CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_0, CURLOPT_HTTPHEADER => ['Host:']]);
        self::assertSame(200, $old->status, 'a load balancer that names nobody');
    }

    public function test_it_may_be_for_others_and_a_port_in_use_is_named(): void
    {
        $port = Server::freePort();
        $server = $this->ownServer('classic', "--status=0.0.0.0:$port");
        $status = new Client("http://127.0.0.1:$port");
        self::assertSame(200, $status->get('/metrics', [CURLOPT_HTTPHEADER => ['Host: shop.internal']])->status);
        $warning = "--status=0.0.0.0:$port: figures are open to everybody who can reach that port: let a firewall keep others";
        self::assertStringContainsString($warning, $server->errors());
        self::assertStringNotContainsString('[warn]', $server->errors(), 'nginx says nothing of a file that nobody wrote');

        $listen = '--listen=127.0.0.1:' . Server::freePort();
        $second = Howdah::run(['serve', self::APP, '--mode=classic', "--status=$port", $listen]);

        self::assertSame(1, $second->status);
        self::assertStringContainsString('or choose another with --status=HOST:PORT', $second->errors);
    }
}
