<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;

/** A worker script that ends its whole process while it boots. */
final class RelapseTest extends TestCase
{
    private const SERVES = "<?php while (frankenphp_handle_request(static function () { echo 'well'; })) {}";

    private const CRASHES = "<?php if (is_file(__DIR__ . '/crash')) { posix_kill(getmypid(), 11); }\n";

    private string $folder;
    private ?Nginx $nginx = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-relapse-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/nginx", recursive: true);
        file_put_contents("{$this->folder}/worker.php", self::CRASHES . substr(self::SERVES, 6));
        file_put_contents("{$this->folder}/file.txt", 'a file');
    }

    protected function tearDown(): void
    {
        $this->nginx?->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** nginx would start the next worker at once, and lose the requests of each. */
    public function test_it_is_tried_again_after_pauses_that_grow_and_when_it_changes(): void
    {
        $nginx = $this->serve();
        self::assertSame('well', $nginx->client->get('/')->body, 'as long as nothing is wrong');
        touch("{$this->folder}/crash");
        posix_kill($nginx->workers()[0], SIGKILL);

        $this->awaitLog('in 1 s');
        // A crash may take the one connection that the process has just accepted.
        $lost = 0;
        Clock::await(static function () use ($nginx, &$lost): bool {
            $status = $nginx->client->get('/')->status;
            $lost += $status === 0 ? 1 : 0;
            self::assertContains($status, [0, 503], 'in time');

            return str_contains($nginx->log(), 'in 4 s');
        }, static fn (): string => "the pauses grow: {$nginx->log()}");
        $crashes = substr_count($nginx->log(), 'exited on signal ' . SIGSEGV);
        self::assertGreaterThanOrEqual($lost, $crashes, 'at most one for each crash');
        self::assertSame('a file', $nginx->client->get('/file.txt')->body, 'what is not the script\'s goes on');

        file_put_contents("{$this->folder}/worker.php", self::SERVES);
        $clock = Clock::start();
        Clock::await(static fn (): bool => $nginx->client->get('/?changed')->body === 'well', 'it boots when it was changed');
        $clock->assertWithin(2.0, 'not after the pause');
    }

    /** What has booted is no relapse, whatever becomes of the process. */
    public function test_a_worker_that_dies_when_it_has_booted_is_replaced_at_once(): void
    {
        $nginx = $this->serve();
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame('well', $nginx->client->get('/')->body);
            $worker = $nginx->workers()[0];
            posix_kill($worker, SIGKILL);
            Clock::await(static fn (): bool => !in_array($worker, $nginx->workers(), true), 'it has gone');
            Clock::await(static fn (): bool => $nginx->workers() !== [], 'another one is there');
        }
        self::assertStringNotContainsString('tried again', $nginx->log());
    }

    private function serve(): Nginx
    {
        $script = "--worker-script={$this->folder}/worker.php";
        $files = "location = /file.txt { root {$this->folder}; }";
        $options = ['--workers=1', '--ini=opcache.revalidate_freq=0', $script];
        $this->nginx = new Nginx("{$this->folder}/nginx", $this->folder, $options, $files);

        return $this->nginx->awaitReady();
    }

    private function awaitLog(string $text): void
    {
        $has = fn (): bool => str_contains((string) $this->nginx?->log(), $text);
        Clock::await($has, fn (): string => "the log has $text: {$this->nginx?->log()}");
    }
}
