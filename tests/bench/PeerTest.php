<?php

/** Servers that have to be installed by hand: how they are found and set up, and what is said of those that are not here. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Machine\Allotment;
use Howdah\Bench\Machine\GoProgram;
use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Octane;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\Server;
use Howdah\Bench\Server\Unit;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class PeerTest extends TestCase
{
    private string $folder;
    private Application $application;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-peer-' . bin2hex(random_bytes(6));
        mkdir("$this->folder/public", recursive: true);
        $public = "$this->folder/public";
        $this->application = new Application($public, "$public/front.php", "$public/worker.php");
    }

    protected function tearDown(): void
    {
        foreach (Peer::cases() as $peer) {
            putenv('HOWDAH_BENCH_' . strtoupper($peer->name));
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return iterable<string, array{Peer}> */
    public static function peers(): iterable
    {
        foreach (Peer::cases() as $peer) {
            yield $peer->name => [$peer];
        }
    }

    #[DataProvider('peers')]
    public function test_a_program_that_a_variable_names_is_used(Peer $peer): void
    {
        $program = $this->standIn($peer, 'echo "$0 1.2.3" >&2; echo "and more of it" >&2');

        self::assertSame($program, $peer->program());
        self::assertNull($peer->missing());
        self::assertSame("$program 1.2.3", $peer->version());
    }

    #[DataProvider('peers')]
    public function test_what_is_named_and_is_no_program_is_said(Peer $peer): void
    {
        file_put_contents("$this->folder/text", 'no program');
        putenv('HOWDAH_BENCH_' . strtoupper($peer->name) . "=$this->folder/text");

        self::assertNull($peer->program());
        $variable = 'HOWDAH_BENCH_' . strtoupper($peer->name);
        self::assertSame("$variable names $this->folder/text, which is no program", $peer->missing());
        self::assertNull($peer->version());
    }

    #[DataProvider('peers')]
    public function test_one_that_is_in_no_folder_of_programs_is_missing(Peer $peer): void
    {
        $path = getenv('PATH');
        putenv("PATH=$this->folder");
        try {
            if (glob("{/usr/local/,/usr/,/}{s,}bin/$peer->value", GLOB_BRACE) !== []) {
                self::assertNull($peer->missing());
            } else {
                self::assertStringContainsString("there is no `$peer->value` in PATH", (string) $peer->missing());
            }
        } finally {
            putenv("PATH=$path");
        }
    }

    public function test_an_application_that_lacks_a_package_is_told_the_command(): void
    {
        $this->standIn(Peer::FrankenPhp, 'exit 1');
        $this->standIn(Peer::RoadRunner, 'exit 1');
        $tools = self::tools();
        $needing = [
            ['spiral/roadrunner-http', fn (): Server => new RoadRunner($tools, 'ping.php', $this->folder, 1)],
            ['laravel/octane', fn (): Server => Octane::onRoadRunner($tools, $this->application, 1)],
            ['laravel/octane', fn (): Server => Octane::onFrankenPhp($tools, $this->application, 'worker.php', 1)],
        ];

        foreach ($needing as [$package, $server]) {
            $remedy = "composer --working-dir=$this->folder require $package";
            self::assertSame("$package is not installed: `$remedy`", $server()->missing());
            $this->install($package);
            self::assertNull($server()->missing());
            exec('rm -rf ' . escapeshellarg("$this->folder/vendor"));
        }
    }

    public function test_frankenphp_gets_its_threads_its_worker_and_our_settings(): void
    {
        $this->standIn(Peer::FrankenPhp, 'cat "$3"; exit 1');
        $memory = (string) ini_get('opcache.memory_consumption');

        $worker = $this->start(FrankenPhp::worker(self::tools(), $this->application, 2, ['NAME' => 'a "b"']));
        self::assertStringContainsString("num_threads 3\n", $worker['said']);
        self::assertStringContainsString("php_ini opcache.memory_consumption \"$memory\"\n", $worker['said']);
        $block = "worker {\n file \"{$this->application->worker}\"\n num 2\n env NAME \"a \\\"b\\\"\"\n }\n";
        self::assertStringContainsString($block, (string) preg_replace('/^ +/m', ' ', $worker['said']));
        self::assertStringContainsString("http://127.0.0.1:{$worker['port']} {\n  bind 127.0.0.1\n", $worker['said']);
        self::assertStringContainsString("rewrite worker.php\n", $worker['said']);

        $classic = $this->start(FrankenPhp::classic(self::tools(), $this->application, 2));
        self::assertStringContainsString("num_threads 2\n", $classic['said']);
        self::assertStringNotContainsString('worker', str_replace($this->folder, '', $classic['said']));
        self::assertStringContainsString("rewrite front.php\n", $classic['said']);
    }

    public function test_unit_and_roadrunner_get_their_processes(): void
    {
        // The file behind --state, and behind -c.
        $this->standIn(Peer::Unit, 'while [ "$1" != --state ]; do shift; done; cat "$2/conf.json"; exit 1');
        $unit = $this->start(new Unit(self::tools(), $this->application, 3));
        self::assertStringContainsString("{\"127.0.0.1:{$unit['port']}\":{\"pass\":\"applications/bench\"}}", $unit['said']);
        $served = "\"processes\":3,\"root\":\"{$this->application->root}\",\"script\":\"front.php\"";
        self::assertStringContainsString($served, $unit['said']);

        $this->standIn(Peer::RoadRunner, 'cat "$3"; echo; echo "$PHP_INI_SCAN_DIR"; exit 1');
        $this->install('spiral/roadrunner-http');
        $runner = $this->start(new RoadRunner(self::tools(), '/ping.php', $this->folder, 3));
        [$json, $scanned] = explode("\n", $runner['said']);
        self::assertStringContainsString("\"address\":\"127.0.0.1:{$runner['port']}\"", $json);
        self::assertStringContainsString('"pool":{"num_workers":3,"max_jobs":0}', $json);
        self::assertStringContainsString('"/ping.php"],"relay":"pipes"', $json);
        self::assertStringContainsString('"output":["stderr"]', $json);
        self::assertStringEndsWith('/conf.d', $scanned);
    }

    /** With one, a PHP call that waits keeps the others waiting for up to 10 ms, which is no fair contender. */
    public function test_servers_in_go_run_four_of_its_threads_at_least(): void
    {
        $this->standIn(Peer::FrankenPhp, 'echo "$GOMAXPROCS"; exit 1');
        $this->standIn(Peer::RoadRunner, 'echo "$GOMAXPROCS"; exit 1');
        $this->install('spiral/roadrunner-http');
        $most = max(4, Allotment::processors());
        $given = fn (Server $server): string => $this->start($server)['said'];
        $franken = fn (): FrankenPhp => FrankenPhp::worker(self::tools(), $this->application, 2);

        self::assertSame((string) $most, $given($franken()), 'the whole machine');
        self::assertSame('1', $given($franken()->limited(1)));
        self::assertSame((string) $most, $given(new RoadRunner(self::tools(), '/ping.php', $this->folder, 3)));
        self::assertSame(['GOMAXPROCS' => '4'], GoProgram::environment(1));
        self::assertSame(['GOMAXPROCS' => '16'], GoProgram::environment(16));
        self::assertStringStartsWith('4 at least, and as many as processors', (string) GoProgram::describe());
    }

    private function standIn(Peer $peer, string $script): string
    {
        $program = "$this->folder/" . $peer->value;
        file_put_contents($program, "#!/bin/sh\nexec >>\"$this->folder/said\"\n$script\n");
        chmod($program, 0755);
        putenv('HOWDAH_BENCH_' . strtoupper($peer->name) . "=$program");

        return $program;
    }

    private function install(string $package): void
    {
        mkdir("$this->folder/vendor/$package", recursive: true);
    }

    /** @return array{said: string, port: int} of one that tells its configuration and ends */
    private function start(Server $server): array
    {
        self::assertNull($server->missing());
        $server->start();
        Clock::await(static fn (): bool => !$server->isRunning(), 'it tells its configuration and ends');
        $server->stop();
        $said = (string) file_get_contents("$this->folder/said");
        unlink("$this->folder/said");

        return ['said' => trim($said), 'port' => $server->port()];
    }

    private static function tools(): Tools
    {
        return Tools::find(dirname(__DIR__, 2));
    }
}
