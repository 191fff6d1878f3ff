<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;

/** A worker script that ends its whole process while it boots. */
final class RelapseTest extends RelapseTestCase
{
    /** nginx would start the next worker at once, and lose the requests of each. */
    public function test_it_is_tried_again_after_pauses_that_grow_and_when_it_changes(): void
    {
        $nginx = $this->serveReady();
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
        $nginx = $this->serveReady();
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame('well', $nginx->client->get('/')->body);
            $worker = $nginx->workers()[0];
            posix_kill($worker, SIGKILL);
            Clock::await(static fn (): bool => !in_array($worker, $nginx->workers(), true), 'it has gone');
            Clock::await(static fn (): bool => $nginx->workers() !== [], 'another one is there');
        }
        self::assertStringNotContainsString('tried again', $nginx->log());
    }

    /** Who hears that it is ready may end it at once. */
    public function test_a_worker_that_dies_when_it_is_ready_is_replaced_at_once(): void
    {
        for ($i = 0; $i < 3; ++$i) {
            $nginx = $this->nginx ?? $this->serveReady();
            Clock::await(static fn (): bool => $nginx->client->get('/ready')->status === 200, 'it is ready');
            $worker = $nginx->workers()[0];
            posix_kill($worker, SIGKILL);
            Clock::await(static fn (): bool => !in_array($worker, $nginx->workers(), true), 'it has gone');
        }
        Clock::await(static fn (): bool => $nginx->client->get('/')->body === 'well', 'another one serves');
        self::assertStringNotContainsString('tried again', $nginx->log());
    }

    /** It may be any file that the script includes, and `howdah serve --watch` tells of it. */
    public function test_it_boots_when_a_file_was_saved(): void
    {
        $nginx = $this->serveReady('location = /renew { howdah_renew; }');
        touch("{$this->folder}/crash");
        posix_kill($nginx->workers()[0], SIGKILL);
        $this->awaitLog('in 4 s');

        unlink("{$this->folder}/crash");
        self::assertSame(200, $nginx->client->post('/renew', '')->status);

        $clock = Clock::start();
        Clock::await(static fn (): bool => $nginx->client->get('/')->body === 'well', 'it boots');
        $clock->assertWithin(2.0, 'not after the pause');
    }

    /** Two boot together, and one of them ends the process each time: the other one is not to blame. */
    public function test_the_script_beside_it_boots(): void
    {
        $nginx = $this->serveReady("location = /other { howdah_pass worker \"{$this->folder}/other.php\"; }");
        $begins = "file_put_contents(__DIR__ . '/begun', getmypid());\n";
        $waits = "while (!is_file(__DIR__ . '/gate')) { usleep(1000); }\n";
        file_put_contents("{$this->folder}/worker.php", "<?php\n$begins$waits" . substr(self::SERVES, 6));
        // Where both boot at once, the other one has begun.
        $began = "@file_get_contents(__DIR__ . '/begun') === (string) getmypid()";
        $beside = "for (\$i = 0; \$i < 300 && !($began); ++\$i) { usleep(1000); }\n";
        file_put_contents("{$this->folder}/other.php", "<?php\n{$beside}posix_kill(getmypid(), 11);\n");
        posix_kill($nginx->workers()[0], SIGKILL);
        $this->awaitLog("{$this->folder}/worker.php booted: it is tried again in 1 s");
        $this->awaitLog("{$this->folder}/other.php booted: it is tried again in 1 s");

        $begun = fn (): string => (string) @file_get_contents("{$this->folder}/begun");
        Clock::await(static fn (): bool => $begun() === (string) ($nginx->workers()[0] ?? 0), 'it boots again');
        touch("{$this->folder}/gate");

        Clock::await(static fn (): bool => $nginx->client->get('/')->body === 'well', 'it serves');
        self::assertStringNotContainsString('worker.php booted: it is tried again in 2 s', $nginx->log());
    }

    /** Connections go to workers that serve. */
    public function test_the_worker_beside_it_takes_its_requests(): void
    {
        $nginx = $this->serveReady(workers: 2);
        touch("{$this->folder}/crash");
        posix_kill($nginx->workers()[0], SIGKILL);
        $this->awaitLog('in 2 s');
        unlink("{$this->folder}/crash");

        $answers = [];
        for ($i = 0; $i < 100; ++$i) {
            $answers[] = $nginx->client->get('/', [CURLOPT_FRESH_CONNECT => true])->status;
        }
        $refused = count(array_keys($answers, 503, true));

        // A worker that does not come to its bell for long leaves a connection where it is.
        if ($refused >= 10) {
            Clock::late('the other worker took too few: ' . json_encode(array_count_values($answers)));
        }
        self::assertContains(200, $answers);
    }

    /** Who waits in vain for a boot is answered, and the boot has not ended with that. */
    public function test_an_answer_of_before_the_boot_has_ended_is_not_its_end(): void
    {
        $door = new Door();
        $this->crashFromNowOn($door);
        $nginx = $this->serve('howdah_queue_timeout 1ms;');
        $door->await();

        self::assertSame(503, $nginx->client->get('/')->status);
        $door->open();

        $this->awaitLog(' booted: it is tried again in 1 s');
        $before = (string) strstr($nginx->log(), 'it is tried again', true);
        self::assertSame(1, substr_count($before, 'exited on signal ' . SIGSEGV), 'the first one counts');
    }

    /** Not ten times a second: whatever it lacks, it is not there so soon. */
    public function test_a_pool_that_cannot_be_made_is_tried_again_after_pauses(): void
    {
        $environment = getenv();
        $environment['LD_PRELOAD'] = dirname(__DIR__, 2) . '/build/memory-limits.so';
        $environment['NO_COPY_OF'] = "{$this->folder}/worker.php";
        $nginx = $this->serveReady(environment: $environment);
        touch("{$this->folder}/crash");
        posix_kill($nginx->workers()[0], SIGKILL);
        $this->awaitLog('in 1 s');
        touch("{$this->folder}/worker.php.copies-fail");

        $failures = static fn (): int => substr_count($nginx->log(), 'out of memory for a pool of realms');
        Clock::await(static fn (): bool => $failures() >= 2, fn (): string => "it was tried: {$nginx->log()}");
        // The line that follows.
        $this->awaitLog('in 4 s');
        self::assertStringContainsString('there was no pool in which', $nginx->log());

        unlink("{$this->folder}/worker.php.copies-fail");
        file_put_contents("{$this->folder}/worker.php", self::SERVES);
        Clock::await(static fn (): bool => $nginx->client->get('/')->body === 'well', 'it boots when it was changed');
    }

    /** @param ?array<string, string> $environment */
    private function serveReady(string $locations = '', int $workers = 1, ?array $environment = null): Nginx
    {
        $ready = "location = /ready { howdah_health ready workers=$workers; }";
        $files = "location = /file.txt { root {$this->folder}; } $ready $locations";
        $nginx = $this->serve($files, $workers, $environment);
        Clock::await(static fn (): bool => $nginx->client->get('/ready')->status === 200, 'nothing is wrong so far');

        return $nginx;
    }
}
