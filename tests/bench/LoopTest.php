<?php

/** RoadRunner's PHP side: our worker scripts run on it as they do elsewhere. Its packages are stand-ins here. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Cli\Program;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class LoopTest extends TestCase
{
    private const PACKAGES = __DIR__ . '/roadrunner.php';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-loop-' . bin2hex(random_bytes(6));
        mkdir("$this->folder/vendor", recursive: true);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return iterable<string, array{string, string, string}> script, query, body */
    public static function scripts(): iterable
    {
        $greeting = "Hello, World!\n";
        yield 'hello' => ['hello-worker', '', $greeting];
        yield 'wait' => ['wait-worker', '', $greeting];
        yield 'waits' => ['waits-worker', 'ms=1', $greeting];
        yield 'waits on what there is not' => ['waits-worker', 'ms=1&on=nothing', "It did not wait.\n"];
        yield 'mixed' => ['mixed-worker', 'rounds=1', $greeting];
        yield 'spin' => ['spin-worker', 'spin_ms=1', $greeting];
        yield 'body' => ['body-worker', 'kb=2', str_repeat('0123456789abcdef', 128)];
    }

    #[DataProvider('scripts')]
    public function test_a_worker_script_answers_each_request(string $script, string $query, string $body): void
    {
        $answers = $this->serve('worker.php', dirname(__DIR__, 2) . "/bench/app/$script.php", [$query, $query]);

        self::assertSame([$body, $body], array_column($answers, 'body'));
        self::assertSame([200, 200], array_column($answers, 'status'));
        self::assertSame(['Content-Type' => ['text/plain; charset=utf-8']], $answers[0]['headers'] ?? null);
    }

    public function test_its_php_is_asked_through_it(): void
    {
        $answers = $this->serve('worker.php', dirname(__DIR__, 2) . '/bench/app/settings-worker.php', ['']);
        $body = $answers[0]['body'] ?? null;
        $told = json_decode(is_string($body) ? $body : '', true);

        self::assertIsArray($told);
        $facts = [PHP_VERSION, PHP_ZTS === 1, PHP_DEBUG === 1, 'cli', false, false];
        $names = ['version', 'zts', 'debug', 'sapi', 'opcache', 'jit'];
        self::assertSame($facts, array_map(static fn (string $name): mixed => $told[$name] ?? null, $names));
    }

    public function test_a_handler_that_fails_is_an_error_and_not_an_answer(): void
    {
        file_put_contents("$this->folder/failing.php", <<<'PHP'
            <?php
            $handler = static function (): void {
                echo 'half of an answer';
                if ($_GET !== []) {
                    throw new RuntimeException('it fails');
                }
            };
            while (frankenphp_handle_request($handler)) {
            }
            PHP);
        $answers = $this->serve('worker.php', "$this->folder/failing.php", ['fail=1', '']);

        self::assertStringContainsString('it fails', is_string($answers[0]['error'] ?? null) ? $answers[0]['error'] : '');
        self::assertSame('half of an answer', $answers[1]['body'] ?? null);
    }

    public function test_symfony_s_kernel_answers_each_request(): void
    {
        $answers = $this->serve('symfony.php', null, ['a=1', ''], "require '" . __DIR__ . "/symfony.php';");
        $asked = 'GET http://127.0.0.1:80/sleep/1?';

        self::assertSame([
            ['status' => 201, 'body' => "{$asked}a=1, 127.0.0.10, answer 0 of 0", 'headers' => ['x-one' => ['1', '2']]],
            ['status' => 201, 'body' => "$asked, 127.0.0.10, answer 1 of 1", 'headers' => ['x-one' => ['1', '2']]],
        ], $answers);
    }

    public function test_entries_of_public_benchmarks_answer_with_their_types(): void
    {
        self::assertSame([
            ['status' => 200, 'body' => 'Hello, World!', 'headers' => ['Content-Type' => ['text/plain']]],
            ['status' => 200, 'body' => '{"message":"Hello, World!"}', 'headers' => ['Content-Type' => ['application/json']]],
        ], $this->serve('entry.php', 'TechEmpower', ['/plaintext', '/json']));
    }

    /**
     * @param string       $server  of bench/app/roadrunner
     * @param list<string> $queries
     * @param string       $before  PHP code of the project
     *
     * @return list<array<string, mixed>> answers
     */
    private function serve(string $server, ?string $script, array $queries, string $before = ''): array
    {
        file_put_contents("$this->folder/queries", json_encode($queries, JSON_THROW_ON_ERROR));
        $require = "<?php $before require '" . self::PACKAGES . "';";
        file_put_contents("$this->folder/vendor/autoload.php", $require);
        $command = [PHP_BINARY, '-dopcache.enable_cli=0', dirname(__DIR__, 2) . "/bench/app/roadrunner/$server"];
        $arguments = [$this->folder, ...($script === null ? [] : [$script])];
        $run = Program::run(['env', "FAKE_ROADRUNNER=$this->folder", ...$command, ...$arguments]);
        self::assertSame([0, ''], [$run->status, $run->errors], 'only the packages may use the standard output');
        self::assertSame('', $run->output);
        $answers = [];
        foreach (file("$this->folder/answers", FILE_IGNORE_NEW_LINES) ?: [] as $line) {
            $answer = json_decode($line, true);
            self::assertIsArray($answer);
            $answers[] = array_combine(array_map(strval(...), array_keys($answer)), $answer);
        }

        return $answers;
    }
}
