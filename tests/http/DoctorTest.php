<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** `howdah doctor` on this machine, as it is and with something broken. */
final class DoctorTest extends HttpTestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-doctor-' . bin2hex(random_bytes(6));
        mkdir("$this->folder/ini", 0755, true);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
        parent::tearDown();
    }

    public function test_this_machine_serves(): void
    {
        $doctor = $this->doctor([self::APP]);

        self::assertSame(0, $doctor->status, $doctor->output . $doctor->errors);
        self::assertMatchesRegularExpression('/^ok +nginx +1\.\d+/m', $doctor->output);
        self::assertMatchesRegularExpression('/^ok +PHP +8\.\d+\.\d+.* \d\d+ extensions/m', $doctor->output);
        self::assertMatchesRegularExpression('/^ok +maps +16 realms need about \d{3,4} memory maps/m', $doctor->output);
        self::assertMatchesRegularExpression('/^howdah serve would work: 0 problems/m', $doctor->output);
    }

    public function test_a_full_disk_is_named_by_each_command(): void
    {
        exec('unshare --mount true 2>&1', $said, $status);
        if ($status !== 0) {
            self::markTestSkipped('only root may mount a small disk: ' . implode(' ', $said));
        }
        mkdir($disk = "$this->folder/disk");
        $howdah = dirname(__DIR__, 2) . '/bin/howdah';
        foreach (['doctor', 'serve', 'config'] as $command) {
            $full = 'mount -t tmpfs -o size=64k none "$0" && ! head -c 200k /dev/zero >"$0/all" && TMPDIR=$0 exec "$@"';
            $words = ['unshare', '--mount', 'sh', '-c', $full, $disk, PHP_BINARY, $howdah, $command, self::APP];
            exec(implode(' ', array_map(escapeshellarg(...), $words)) . ' 2>&1', $lines, $status);
            $text = implode("\n", $lines);
            self::assertNotSame(0, $status, $text);
            self::assertStringContainsString("cannot write to the temporary folder $disk: free some space there", $text);
            self::assertStringNotContainsString('does not tell its version', $text);
        }
    }

    public function test_json_says_the_same(): void
    {
        $doctor = $this->doctor([self::APP, '--json']);
        $told = $doctor->json();

        self::assertSame(0, $doctor->status);
        self::assertSame([true, 0], [$told['serves'], $told['problems']]);
        self::assertIsArray($told['findings']);
        self::assertContains('opcache', array_column($told['findings'], 'subject'));
    }

    public function test_a_php_ini_that_breaks_something_is_named_by_doctor_and_by_serve(): void
    {
        $this->ini("opcache.interned_strings_buffer=0\n");

        $doctor = $this->doctor([self::APP]);
        $serve = Howdah::run(['serve', self::APP, '--listen=127.0.0.1:' . Server::freePort()], $this->environment());

        self::assertSame(1, $doctor->status, $doctor->output);
        self::assertSame(1, $serve->status, $serve->output);
        foreach ([$doctor->output, $serve->errors] as $said) {
            self::assertStringContainsString('PHP does not start: opcache.interned_strings_buffer=0 is not supported', $said);
            self::assertStringContainsString('set it to 8 or more', $said);
        }
        self::assertStringContainsString('would not work well: 1 problem', $doctor->output);
    }

    public function test_an_opcache_that_is_switched_off_is_named(): void
    {
        $settings = ['opcache.enable=0' => 'opcache.enable=1', 'opcache.file_cache_only=1' => 'opcache.file_cache_only=0'];
        foreach ($settings as $bad => $good) {
            $doctor = $this->doctor(["--ini=$bad", "--ini=opcache.file_cache=$this->folder"]);

            self::assertSame(1, $doctor->status, $doctor->output);
            self::assertMatchesRegularExpression("/^problem .*opcache is switched off.* set $good/m", $doctor->output);
        }
    }

    public function test_an_opcache_that_does_not_answer_questions_is_not_taken_for_one_that_is_off(): void
    {
        $doctor = $this->doctor([self::APP, '--ini=opcache.restrict_api=/nowhere']);

        self::assertSame(0, $doctor->status, $doctor->output);
    }

    public function test_an_extension_that_is_not_found_is_a_note_and_one_that_composer_demands_a_problem(): void
    {
        $this->ini("extension=nosuch\n");
        mkdir("$this->folder/vendor");
        file_put_contents("$this->folder/index.php", '<?php');
        file_put_contents("$this->folder/vendor/autoload.php", '<?php');
        file_put_contents("$this->folder/composer.json", '{"require": {"php": "^8.2", "ext-json": "*", "ext-nosuch": "*"}}');

        $doctor = $this->doctor([$this->folder]);

        self::assertSame(1, $doctor->status, $doctor->output);
        self::assertMatchesRegularExpression("/^note +PHP .*Unable to load dynamic library 'nosuch'/m", $doctor->output);
        self::assertMatchesRegularExpression('/^problem +packages +the project needs ext-nosuch/m', $doctor->output);
        self::assertStringNotContainsString('ext-json', $doctor->output);
        $server = $this->keep(new Server($this->folder, ['--workers=1']));
        $server->awaitReady();
        self::assertStringContainsString('the project needs ext-nosuch *, which libphp does not load', $server->errors());
    }

    public function test_sessions_without_a_folder_are_a_note(): void
    {
        $lost = $this->doctor([self::APP, '--ini=session.save_path="5;/no/such/folder"']);
        $kept = $this->doctor([self::APP, "--ini=session.save_path=$this->folder"]);

        self::assertSame([0, 0], [$lost->status, $kept->status]);
        self::assertMatchesRegularExpression('~^note +sessions +session.save_path is /no/such/folder~m', $lost->output);
        self::assertStringNotContainsString('session.save_path', $kept->output);
    }

    public function test_limits_that_realms_would_meet_are_named_with_the_way_out(): void
    {
        $tooFew = $this->doctor(['--concurrency=100'], '-n 64');
        self::assertSame(1, $tooFew->status);
        self::assertMatchesRegularExpression('/^problem +descriptors .*too few for 100 requests at once/m', $tooFew->output);
        $command = ['sh', '-c', 'ulimit -n 64 && exec "$@"', 'sh', PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'];
        $server = $this->keep(new Server(self::APP, ['--workers=1', '--concurrency=100', '--mode=classic'], $command));
        $server->awaitReady();
        self::assertStringContainsString('too few for 100 requests at once', $server->errors());

        $tooLittle = $this->doctor(['--concurrency=500'], '-v 3000000');
        self::assertSame(1, $tooLittle->status);
        self::assertMatchesRegularExpression('/^problem +address space .*`ulimit -v unlimited`/m', $tooLittle->output);
    }

    public function test_an_address_that_is_taken_and_a_folder_without_an_application_are_problems(): void
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($socket);
        $doctor = $this->doctor([$this->folder, '--listen=' . stream_socket_get_name($socket, false)]);
        fclose($socket);

        self::assertSame(1, $doctor->status);
        self::assertMatchesRegularExpression('/^problem +address .*in use by another program/m', $doctor->output);
        self::assertMatchesRegularExpression('/^problem +project .*nothing to serve/m', $doctor->output);
        self::assertStringContainsString('2 problems', $doctor->output);
    }

    /** @param list<string> $arguments */
    private function doctor(array $arguments, ?string $limit = null): Howdah
    {
        $listens = array_filter($arguments, static fn (string $one): bool => str_starts_with($one, '--listen=')) !== [];
        $listen = $listens ? [] : ['--listen=127.0.0.1:' . Server::freePort()];

        return Howdah::run(['doctor', ...$arguments, ...$listen], $this->environment(), $limit);
    }

    private function ini(string $text): void
    {
        file_put_contents("$this->folder/ini/test.ini", $text);
    }

    /** @return array<string, string> with which PHP reads one more folder of settings */
    private function environment(): array
    {
        return ['PHP_INI_SCAN_DIR' => ":$this->folder/ini"];
    }
}
