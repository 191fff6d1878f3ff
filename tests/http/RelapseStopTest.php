<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;

/** A stop while a worker script ends its whole process each time it boots. */
final class RelapseStopTest extends RelapseTestCase
{
    /** While it pauses, and while a boot goes on that is about to crash. */
    #[TestWith([false])]
    #[TestWith([true])]
    public function test_nginx_quits_while_each_new_worker_dies(bool $boots): void
    {
        $nginx = $this->serve();
        $door = new Door();
        self::assertSame('well', $nginx->client->get('/')->body);
        $this->crashFromNowOn($boots ? $door : null);
        posix_kill($nginx->workers()[0], SIGKILL);
        if ($boots) {
            $door->await();
        } else {
            $this->awaitLog('in 1 s');
        }

        posix_kill($nginx->pid(), SIGQUIT);
        $door->open();

        Clock::await(static fn (): bool => !$nginx->isRunning(), static fn (): string => "nginx ends: {$nginx->log()}");
        self::assertStringNotContainsString('[emerg]', $nginx->log());
    }

    #[TestWith([false])]
    #[TestWith([true])]
    public function test_howdah_stops_while_each_new_worker_dies(bool $boots): void
    {
        $options = ['--workers=2', '--ini=opcache.revalidate_freq=0', "--worker-script={$this->folder}/worker.php"];
        $server = Server::serving($this->folder, ...$options);
        try {
            $door = new Door();
            self::assertSame('well', $server->client->get('/')->body);
            $this->crashFromNowOn($boots ? $door : null);
            array_map(static fn (int $worker): bool => posix_kill($worker, SIGKILL), $server->workers());
            if ($boots) {
                $door->await();
            } else {
                $server->eventually(static fn (): bool => str_contains($server->errors(), 'in 1 s'));
            }

            $stop = Howdah::run(['stop', "--pid={$server->pid}"]);

            self::assertSame(0, $stop->status, $stop->errors . $server->errors());
            self::assertSame(0, $server->await(), $server->errors());
        } finally {
            $server->stop();
        }
    }
}
