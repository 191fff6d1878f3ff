<?php

/** packages/runtime, with Symfony's real kernel and a stand-in for symfony/runtime. */

declare(strict_types=1);

namespace Howdah\FrameworkTests;

use Howdah\HttpTests\Server;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SymfonyRuntimeTest extends TestCase
{
    private const EXAMPLE = __DIR__ . '/../../examples/symfony';
    private const PACKAGE = __DIR__ . '/../../packages/runtime/src';

    private string $project = '';
    private ?Server $server = null;

    public static function setUpBeforeClass(): void
    {
        exec(escapeshellarg(self::EXAMPLE . '/bin/setup') . ' 2>&1', $output, $status);
        self::assertSame(0, $status, implode("\n", $output));
    }

    protected function setUp(): void
    {
        $this->project = sys_get_temp_dir() . '/howdah-runtime-' . bin2hex(random_bytes(6));
        exec('cp -r ' . escapeshellarg(__DIR__ . '/runtime') . ' ' . escapeshellarg($this->project));
        mkdir("{$this->project}/vendor/howdah/runtime", 0777, true);
        mkdir("{$this->project}/bin");
        mkdir("{$this->project}/config");
        mkdir("{$this->project}/vendor/symfony/runtime", 0777, true);
        touch("{$this->project}/vendor/symfony/runtime/SymfonyRuntime.php");
        touch("{$this->project}/bin/console");
        touch("{$this->project}/config/bundles.php");
        file_put_contents("{$this->project}/.env", "APP_ENV=prod\n");
        rename("{$this->project}/autoload_runtime.php", "{$this->project}/vendor/autoload_runtime.php");
        symlink((string) realpath(self::PACKAGE), "{$this->project}/vendor/howdah/runtime/src");
    }

    protected function tearDown(): void
    {
        $this->server?->stop();
        exec('rm -rf ' . escapeshellarg($this->project));
    }

    /** @return iterable<string, array{bool}> */
    public static function places(): iterable
    {
        yield 'the package is in the project' => [true];
        yield 'the project has nothing of ours' => [false];
    }

    #[DataProvider('places')]
    public function test_services_are_new_for_each_request_and_the_kernel_stays(bool $hasPackage): void
    {
        if ($hasPackage) {
            $this->serve([]);
            self::assertStringContainsString('(Symfony with the runner of howdah/runtime)', (string) $this->server?->errors());
        } else {
            exec('rm -rf ' . escapeshellarg("{$this->project}/vendor/howdah"));
            $this->serve(['HOWDAH_RUNTIME_PACKAGE' => ''], '--mode=worker');
            self::assertStringContainsString('resources/worker/symfony.php', (string) $this->server?->errors());
        }
        $expected = ['service' => 1, 'mode' => 'web=1&worker=2', 'dotenv' => 'as .env has it', 'path' => '/a/b'];
        foreach ([1, 2, 3] as $number) {
            $said = $this->ask("/a/b?number=$number");
            self::assertEquals(
                ['requests' => $number, 'terminated' => $number - 1, 'query' => ['number' => "$number"]] + $expected,
                $said,
            );
        }
    }

    public function test_services_are_kept_where_the_project_says_so_until_the_script_has_served_its_requests(): void
    {
        $this->serve(['FRANKENPHP_RESET_KERNEL' => '0'], '--max-requests=2');

        $said = array_map(fn (): array => $this->ask('/'), [1, 2, 3]);
        self::assertSame([1, 2, 1], array_column($said, 'service'));
        self::assertSame([1, 2, 1], array_column($said, 'requests'));
        self::assertSame('web=1&worker=1', $said[0]['mode']);
    }

    public function test_in_classic_mode_it_is_symfonys_own_runtime(): void
    {
        $this->serve(['APP_RUNTIME' => 'Howdah\Runtime\Runtime'], '--mode=classic');

        foreach ([1, 2] as $ignored) {
            $said = $this->ask('/');
            self::assertSame([1, 1, null], [$said['requests'], $said['service'], $said['mode']]);
        }
    }

    /** @param array<string, string> $environment */
    private function serve(array $environment, string ...$options): void
    {
        $environment += [
            'HOWDAH_RUNTIME_VENDOR' => (string) realpath(self::EXAMPLE . '/vendor'),
            'HOWDAH_RUNTIME_PACKAGE' => (string) realpath(self::PACKAGE),
        ];
        $env = array_map(
            static fn (string $name, string $value): string => "$name=$value",
            array_keys($environment),
            $environment,
        );
        $this->server = new Server(
            $this->project,
            ['--workers=1', '--concurrency=1', ...array_values($options)],
            ['env', ...$env, PHP_BINARY, dirname(__DIR__, 2) . '/bin/howdah'],
        );
        $this->server->awaitReady();
    }

    /** @return array<array-key, mixed> */
    private function ask(string $target): array
    {
        $response = $this->server?->client->get($target);
        self::assertSame(200, $response?->status, $response?->body . $this->server?->errors());
        $said = json_decode($response->body, true);
        self::assertIsArray($said, $response->body);

        return $said;
    }
}
