<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** A reload where nginx's workers take connections in turns (`accept_mutex on`): as SuccessionTest. */
#[Group('realms')]
final class AcceptMutexTest extends TestCase
{
    private const WORKER = <<<'PHP'
        <?php
        require_once '%1$s/door.php';
        $release = require __DIR__ . '/release.php';
        %2$s
        file_put_contents(__DIR__ . '/booted', "$release\n", FILE_APPEND);
        while (frankenphp_handle_request(static function () use ($release): void {
            Howdah\HttpTests\waitAtDoor($_GET['door'] ?? '');
            if (isset($_GET['compute'])) {
                for ($i = 0; $i < 2_000_000; $i++) {
                }
            }
            echo $release;
        })) {
        }
        PHP;

    private string $folder;
    private ?Nginx $nginx = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-mutex-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/nginx", recursive: true);
        $this->release(0);
    }

    protected function tearDown(): void
    {
        $this->nginx?->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** They would ask for their turn, and keep who comes waiting until they have booted. */
    public function test_workers_that_boot_take_no_connections(): void
    {
        $nginx = $this->serve();
        $old = $nginx->workers();
        $door = new Door();
        // The trial boots at once, and the new workers do not.
        $this->release(1, "if (!@mkdir(__DIR__ . '/tried')) { Howdah\\HttpTests\\waitAtDoor('{$door->path}'); }");
        $nginx->reload();
        $door->await(2);

        // nginx asks for its turn each half second. While PHP computes it is another one's.
        for ($i = 0; $i < 40; ++$i) {
            self::assertSame('0', $nginx->client->get('/?compute')->body);
        }

        $door->open();
        $this->awaitGone($nginx, $old);
        self::assertSame('1', $nginx->client->get('/')->body);
        self::assertStringNotContainsString('[alert]', $nginx->log());
    }

    /** One that left in its turn would keep it, and nobody else takes connections. */
    public function test_workers_that_leave_give_their_turn_away(): void
    {
        $nginx = $this->serve();
        $old = $nginx->workers();
        $door = new Door();
        $client = new Http1($nginx->port);
        $client->get("/?door={$door->path}");
        $stays = $door->process();
        $this->release(1);
        // It is its turn, and it hears that it is to leave when new ones have booted.
        posix_kill($stays, SIGSTOP);
        $nginx->reload();
        $this->awaitGone($nginx, array_values(array_diff($old, [$stays])));
        posix_kill($stays, SIGCONT);
        $title = "/proc/$stays/cmdline";
        $leaves = static fn (): bool => str_contains((string) @file_get_contents($title), 'is shutting down');
        Clock::await($leaves, 'the worker with a request takes its leave');

        for ($i = 0; $i < 20; ++$i) {
            self::assertSame('1', $nginx->client->get('/')->body);
        }

        $door->open();
        self::assertSame('0', $client->read()?->body);
        $this->awaitGone($nginx, $old);
        self::assertStringNotContainsString('[alert]', $nginx->log());
    }

    private function serve(): Nginx
    {
        $options = ['--workers=2', '--ini=opcache.revalidate_freq=0', "--worker-script={$this->folder}/worker.php"];
        $edits = ['events {' => 'events { accept_mutex on;'];
        $this->nginx = new Nginx("{$this->folder}/nginx", $this->folder, $options, '', $edits);
        $this->nginx->awaitReady();
        $booted = fn (): string => (string) @file_get_contents("{$this->folder}/booted");
        Clock::await(static fn (): bool => $booted() === "0\n0\n", 'both workers have booted');

        return $this->nginx;
    }

    /** @param list<int> $workers */
    private function awaitGone(Nginx $nginx, array $workers): void
    {
        Clock::await(
            static fn (): bool => array_intersect($nginx->workers(), $workers) === [],
            static fn (): string => "the old workers go: {$nginx->log()}",
        );
    }

    private function release(int $number, string $atBoot = ''): void
    {
        file_put_contents("{$this->folder}/release.php", "<?php return $number;\n");
        file_put_contents("{$this->folder}/worker.php", sprintf(self::WORKER, __DIR__, $atBoot));
    }
}
