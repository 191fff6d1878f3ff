<?php

/** A project of CodeIgniter that a variable names: what is said where none is, and what becomes of its copy. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Choices;
use Howdah\Bench\Data\CodeIgniter;
use Howdah\Bench\Data\Postgres;
use Howdah\Bench\Data\Redis;
use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Suite\Run;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suites;
use Howdah\Cli\Failure;
use PHPUnit\Framework\TestCase;

final class CodeIgniterTest extends TestCase
{
    private const WAY = '`git clone --depth=1 --branch=v4.7.2 https://github.com/codeigniter4/CodeIgniter4`'
        . ' or `composer create-project codeigniter4/appstarter` makes one';

    private string $project;
    private string $ours;

    protected function setUp(): void
    {
        $this->project = sys_get_temp_dir() . '/howdah-codeigniter-' . bin2hex(random_bytes(6));
        $this->ours = dirname(__DIR__, 2) . '/bench/app/codeigniter';
        foreach (['app/Config', 'app/Controllers', 'app/Views', 'public'] as $folder) {
            mkdir("$this->project/$folder", recursive: true);
        }
    }

    protected function tearDown(): void
    {
        putenv(CodeIgniter::VARIABLE);
        exec('rm -rf ' . escapeshellarg($this->project));
    }

    public function test_where_no_project_is_named_the_way_to_one_is_told(): void
    {
        putenv(CodeIgniter::VARIABLE);
        $said = 'HOWDAH_BENCH_CODEIGNITER names no project of CodeIgniter 4.7 or newer: ' . self::WAY;
        self::assertSame($said, CodeIgniter::missing());

        $root = dirname(__DIR__, 2);
        $named = (new Suites(Tools::find($root), $root, new Choices()))->named();
        $suites = array_filter($named, static fn (Suite $one): bool => str_starts_with($one->name(), 'codeigniter-'));
        self::assertCount(10, $suites);
        foreach ($suites as $suite) {
            try {
                $suite->run(new Run(1, 1, static fn (string $what) => null));
                self::fail("{$suite->name()} ran without a project");
            } catch (Missing $missing) {
                self::assertSame($said, $missing->getMessage());
            }
        }
    }

    public function test_a_folder_that_is_none_is_told_with_what_it_lacks(): void
    {
        putenv(CodeIgniter::VARIABLE . "=$this->project");
        touch("$this->project/spark");
        touch("$this->project/public/index.php");
        self::assertSame("HOWDAH_BENCH_CODEIGNITER names $this->project, which has no app/Config/Routes.php, no"
            . ' app/Config/WorkerMode.php: ' . self::WAY, CodeIgniter::missing());
        $this->complete();
        self::assertNull(CodeIgniter::missing());
    }

    public function test_its_copy_has_the_endpoints_and_the_settings(): void
    {
        $this->complete();
        file_put_contents("$this->project/spark", '<?php if ($argv[1] === "worker:install")'
            . ' file_put_contents(__DIR__ . "/public/frankenphp-worker.php", "made");');
        $copy = new CodeIgniter($this->ours, new Postgres(), new Redis());
        $application = $copy->application();
        $root = dirname($application->root);

        self::assertSame('made', file_get_contents($application->worker), 'spark makes it where the project has none');
        self::assertFileEquals("$this->ours/Bench.php", "$root/app/Controllers/Bench.php");
        self::assertFileEquals("$this->ours/page.php", "$root/app/Views/bench.php");
        $routes = (string) file_get_contents("$root/app/Config/Routes.php");
        self::assertStringStartsWith("<?php\n", $routes);
        self::assertStringContainsString('$routes->get("bench/$endpoint"', $routes);
        exec(PHP_BINARY . ' -n -l ' . escapeshellarg("$root/app/Config/Routes.php"), $lines, $status);
        self::assertSame(0, $status, implode("\n", $lines));
        $settings = (string) file_get_contents("$root/.env");
        self::assertStringContainsString("CI_ENVIRONMENT = production\n", $settings);
        self::assertStringContainsString("database.default.DBDriver = Postgre\n", $settings);
        self::assertStringContainsString("session.savePath = /redis.sock?database=0\n", $settings);
        self::assertStringContainsString("cache.redis.host = /redis.sock\n", $settings);
        $before = file_get_contents("$this->project/app/Config/Routes.php");
        self::assertSame("<?php\n", $before, 'the project itself is left alone');
        $copy->remove();
        self::assertDirectoryDoesNotExist($root);
    }

    public function test_endpoints_that_cannot_be_read_are_told(): void
    {
        $this->complete();
        mkdir("$this->project/ours");
        touch("$this->project/ours/Bench.php");
        touch("$this->project/ours/page.php");

        $this->expectException(Failure::class);
        $this->expectExceptionMessage("$this->project/ours/routes.txt cannot be read");
        new CodeIgniter("$this->project/ours", new Postgres(), new Redis());
    }

    public function test_one_whose_spark_fails_is_told(): void
    {
        $this->complete();
        file_put_contents("$this->project/spark", '<?php fwrite(STDERR, "no extension intl"); exit(3);');

        $this->expectException(Failure::class);
        $this->expectExceptionMessageMatches('~/spark worker:install ended with exit status 3:  no extension intl$~');
        new CodeIgniter($this->ours, new Postgres(), new Redis());
    }

    private function complete(): void
    {
        putenv(CodeIgniter::VARIABLE . "=$this->project");
        touch("$this->project/spark");
        touch("$this->project/public/index.php");
        touch("$this->project/app/Config/WorkerMode.php");
        file_put_contents("$this->project/app/Config/Routes.php", "<?php\n");
    }
}
