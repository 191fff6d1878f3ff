<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use Howdah\Tests\Opcache;

/** Extensions that Howdah does not know (tests/engine/extension), from a user's side: serve, doctor and audit. */
final class UnknownExtensionTest extends HttpTestCase
{
    private const HIDES = __DIR__ . '/../../build/extension/counter.so';
    private const OBSERVES = __DIR__ . '/../../build/extension/observer.so';
    private const LOCAL = __DIR__ . '/../../build/extension/local.so';
    private const CLEAN = __DIR__ . '/../../build/extension/clean.so';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-unknown-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $call = 'function_exists("counter_next") ? counter_next() : clean_next()';
        file_put_contents("$this->folder/index.php", "<?php echo $call;");
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
        parent::tearDown();
    }

    public function test_one_that_hides_something_is_refused_with_the_choices_by_serve_and_by_doctor(): void
    {
        $serve = $this->howdah('serve', self::HIDES, '--listen=127.0.0.1:' . Server::freePort());
        $doctor = $this->howdah('doctor', self::HIDES, '--listen=127.0.0.1:' . Server::freePort());

        self::assertSame([1, 1], [$serve->status, $doctor->status]);
        foreach ([$serve->errors, $doctor->output] as $said) {
            self::assertStringContainsString('the PHP extension counter 1.0 (counter.so) is not known to Howdah', $said);
            foreach (['phpdismod -s embed counter', '--concurrency=1', '--shared-extension=counter'] as $choice) {
                self::assertStringContainsString($choice, $said);
            }
        }
        self::assertStringContainsString('would not work well: 1 problem', $doctor->output);
        self::assertMatchesRegularExpression('/^ok +memory/m', $doctor->output, 'the rest is looked at, too');
    }

    public function test_a_profiler_is_refused_by_its_name(): void
    {
        foreach ($this->settings() as [$option, $wayOut]) {
            $serve = $this->howdah('serve', self::OBSERVES, '--listen=127.0.0.1:' . Server::freePort(), ...$option);

            self::assertSame(1, $serve->status);
            self::assertStringContainsString('call are loaded (profilers or tracers): observer;', $serve->errors);
            self::assertStringContainsString('(' . sprintf($wayOut, 'observer') . ')', $serve->errors);
        }
    }

    public function test_the_way_out_is_that_of_the_settings_that_are_read(): void
    {
        foreach ($this->settings() as [$option, $wayOut]) {
            $doctor = $this->howdah('doctor', self::HIDES, '--listen=127.0.0.1:' . Server::freePort(), ...$option);

            $said = (string) preg_replace('/\s+/', ' ', $doctor->output);
            self::assertStringContainsString('(' . sprintf($wayOut, 'counter') . ')', $said);
        }
    }

    /** @return list<array{list<string>, string}> options, and what takes an extension out of these settings */
    private function settings(): array
    {
        $series = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $folder = "$this->folder/settings";
        @mkdir("$folder/conf.d", recursive: true);
        file_put_contents("$folder/php.ini", implode("\n", Opcache::settings()));

        return [
            [[], 'phpdismod -s embed %s'],
            [["--php-ini=/etc/php/$series/fpm"], 'phpdismod -s fpm %s'],
            [["--php-ini=$folder"], "take %s out of $folder/php.ini or $folder/conf.d"],
        ];
    }

    public function test_each_choice_serves(): void
    {
        foreach (['--concurrency=1', '--shared-extension=counter'] as $choice) {
            $doctor = $this->howdah('doctor', self::HIDES, $choice, '--listen=127.0.0.1:' . Server::freePort());
            self::assertSame(0, $doctor->status, $doctor->output);
            self::assertMatchesRegularExpression('/^note .*\bcounter\b/m', $doctor->output);

            $server = $this->keep(new Server($this->folder, ['--workers=1', '--ini=extension=' . self::HIDES, $choice]));
            $server->awaitReady();
            self::assertSame('1', $server->client->get('/')->body, $server->errors());
        }
    }

    public function test_one_that_hides_nothing_is_served_with_a_note(): void
    {
        $doctor = $this->howdah('doctor', self::CLEAN, '--listen=127.0.0.1:' . Server::freePort());
        $audit = $this->howdah('audit', self::CLEAN);

        self::assertSame([0, 0], [$doctor->status, $audit->status], $doctor->output . $audit->output);
        self::assertMatchesRegularExpression('/^note +extensions +clean 1\.0 is not known to Howdah/m', $doctor->output);
    }

    public function test_the_audit_names_what_is_hidden_and_ends_with_1(): void
    {
        $audit = $this->howdah('audit', self::HIDES);

        self::assertSame(1, $audit->status, $audit->output . $audit->errors);
        // The look that finds it may be that of another realm's birth, between two requests.
        $row = "/^counter\.so +counter \(\.bss\+0x[0-9a-f]+\) +8 +(the \w+ of GET \/|a realm's birth)/m";
        self::assertMatchesRegularExpression($row, $audit->output);
        self::assertStringContainsString('- the extension counter keeps something', $audit->output);
        self::assertStringContainsString('--shared-extension=counter', $audit->output);
        self::assertMatchesRegularExpression('/^1 unexplained word in \d+ requests to 1 page;/m', $audit->output);
    }

    /** What is each thread's own is not where its module is. */
    public function test_the_audit_knows_whose_a_thread_local_variable_is(): void
    {
        file_put_contents("$this->folder/index.php", '<?php echo local_next();');

        $audit = $this->howdah('audit', self::LOCAL);

        self::assertSame(1, $audit->status, $audit->output . $audit->errors);
        self::assertStringContainsString('- the extension local keeps something', $audit->output);
        self::assertStringNotContainsString('report it', $audit->output);
    }

    public function test_what_the_user_lists_is_shared_on_purpose(): void
    {
        $audit = $this->howdah('audit', self::HIDES, '--shared-extension=counter', '--json');
        $told = $audit->json();

        self::assertSame([0, 0], [$audit->status, $told['unexplained_words']], $audit->output);
        self::assertIsArray($told['findings']);
        self::assertContains('counter', array_column($told['findings'], 'extension'));
    }

    /** Only one of them may have a realm at a time: the others are ready when they are asked, and no reload waits for them. */
    public function test_two_worker_scripts_that_are_served_one_request_at_a_time_are_ready_and_reloaded(): void
    {
        mkdir("$this->folder/nginx");
        foreach (['worker', 'other'] as $name) {
            $loop = "while (frankenphp_handle_request(static function () { echo '$name', counter_next(); })) {}";
            file_put_contents("$this->folder/$name.php", "<?php $loop");
        }
        $options = ['--workers=1', '--concurrency=1', '--ini=extension=' . self::HIDES];
        $options[] = "--worker-script=$this->folder/worker.php";
        $directives = "location = /other { howdah_pass worker \"$this->folder/other.php\"; }"
            . ' location /health/ { howdah_health; }';
        $nginx = new Nginx("$this->folder/nginx", $this->folder, $options, $directives);
        try {
            $client = $nginx->awaitReady()->client;
            $ready = static fn (): bool => $client->get('/health/ready')->status === 200;
            Clock::await($ready, 'one of them has booted');
            self::assertSame(['worker1', 'other2'], [$client->get('/')->body, $client->get('/other')->body]);
            $before = $nginx->workers();

            $nginx->reload();

            $isNew = static fn (): bool => count($nginx->workers()) === 1 && $nginx->workers() !== $before;
            Clock::await($isNew, 'the old worker has gone');
            Clock::await($ready, 'the new one is ready');
            self::assertSame(['other1', 'worker2'], [$client->get('/other')->body, $client->get('/')->body]);
        } finally {
            $nginx->stop();
        }
    }

    private function howdah(string $command, string $extension, string ...$options): Howdah
    {
        return Howdah::run([$command, $this->folder, "--ini=extension=$extension", ...array_values($options)]);
    }
}
