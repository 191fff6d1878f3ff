<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** A stop while a worker script ends its whole process each time it boots. */
final class RelapseStopTest extends TestCase
{
    private const SERVES = "<?php while (frankenphp_handle_request(static function () { echo 'well'; })) {}";

    private string $folder;
    private ?Nginx $nginx = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-relapse-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/nginx", recursive: true);
        file_put_contents("{$this->folder}/worker.php", self::SERVES);
    }

    protected function tearDown(): void
    {
        $this->nginx?->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

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

    /** Where there is a door, each boot is at it before. */
    private function crashFromNowOn(?Door $door): void
    {
        $waits = $door === null ? '' : "require '" . __DIR__ . "/door.php'; Howdah\HttpTests\waitAtDoor('{$door->path}');";
        file_put_contents("{$this->folder}/new", "<?php $waits posix_kill(getmypid(), 11);");
        rename("{$this->folder}/new", "{$this->folder}/worker.php");
    }

    private function serve(): Nginx
    {
        $script = "--worker-script={$this->folder}/worker.php";
        $options = ['--workers=1', '--ini=opcache.revalidate_freq=0', $script];
        $this->nginx = new Nginx("{$this->folder}/nginx", $this->folder, $options, '');

        return $this->nginx->awaitReady();
    }

    private function awaitLog(string $text): void
    {
        $has = fn (): bool => str_contains((string) $this->nginx?->log(), $text);
        Clock::await($has, fn (): string => "the log has $text: {$this->nginx?->log()}");
    }
}
