<?php

/** Servers that have to be installed by hand: how they are found and set up, and what is said of those that are not here. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Machine\Allotment;
use Howdah\Bench\Machine\GoProgram;
use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Octane;
use Howdah\Bench\Server\NginxServer;
use Howdah\Bench\Server\RoadRunner;
use Howdah\Bench\Server\RoadRunnerFcgi;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\Server;
use Howdah\Bench\Server\Unit;
use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class PeerTest extends TestCase
{
    private static ?Tools $tools = null;

    private string $folder;
    private Application $application;
    private string $path;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-peer-' . bin2hex(random_bytes(6));
        $this->path = (string) getenv('PATH');
        mkdir("$this->folder/public", recursive: true);
        $public = "$this->folder/public";
        $this->application = new Application($public, "$public/front.php", "$public/worker.php");
    }

    protected function tearDown(): void
    {
        foreach (Peer::cases() as $peer) {
            putenv('HOWDAH_BENCH_' . strtoupper($peer->name));
        }
        putenv("PATH=$this->path");
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
        self::assertSame($peer === Peer::FrankenPhp ? 'FrankenPHP of unknown version in Caddy ' . "$program 1.2.3"
            : "$program 1.2.3", $peer->version());
    }

    /** @return iterable<string, array{string, string, string}> what `version` and `build-info` say, and what is made of it */
    public static function frankenPhps(): iterable
    {
        $modules = "go\tgo1.26.8\npath\tcaddy\nmod\tcaddy\t(devel)\t\n"
            . "dep\tgithub.com/caddyserver/caddy/v2\tv2.11.4\th1:xyz=\n"
            . "dep\tgithub.com/dunglas/frankenphp\tv1.12.7\t%s\ndep\tgithub.com/dunglas/frankenphp/caddy\tv1.12.7\th1:uvw=\n";
        $caddy = 'v2.11.4 h1:XKxkZ8B1z2g0Q8mfjGxsqb8KVWoLIOh8XkXkXhF1a0A=';
        yield 'a release' => [
            "FrankenPHP v1.9.1 PHP 8.4.12 Caddy v2.10.2 h1:g/gTYjGMD0dec+UgMw8SnfmJ3I9+M2TdvoRL/Ovu6U8=",
            '',
            'FrankenPHP v1.9.1 PHP 8.4.12 Caddy v2.10.2',
        ];
        yield 'from source' => [$caddy, sprintf($modules, 'h1:abc='), 'FrankenPHP v1.12.7 in Caddy v2.11.4'];
        yield 'from a folder' => [
            $caddy,
            sprintf($modules, "\n=>\t../frankenphp\t(devel)\t"),
            'FrankenPHP v1.12.7 (replaced by ../frankenphp) in Caddy v2.11.4',
        ];
        yield 'nothing but Caddy' => [$caddy, '', 'FrankenPHP of unknown version in Caddy v2.11.4'];
        yield 'nothing' => ['', '', 'FrankenPHP of unknown version in Caddy of unknown version'];
    }

    #[DataProvider('frankenPhps')]
    public function test_frankenphp_tells_its_version_and_caddy_s(string $version, string $modules, string $told): void
    {
        file_put_contents("$this->folder/version", $version);
        file_put_contents("$this->folder/build-info", $modules);
        $program = $this->standIn(Peer::FrankenPhp, '');
        file_put_contents($program, "#!/bin/sh\ncat \"$this->folder/$1\"\n");

        self::assertSame($told, Peer::FrankenPhp->version());
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
                $variable = 'HOWDAH_BENCH_' . strtoupper($peer->name);
                $said = "there is no `$peer->value` in PATH, and $variable names none: https://";
                self::assertStringStartsWith($said, (string) $peer->missing());
            }
        } finally {
            putenv("PATH=$path");
        }
    }

    public function test_an_application_that_lacks_octane_is_told_the_command(): void
    {
        $this->standIn(Peer::FrankenPhp, 'exit 1');
        $server = fn (): Server => Octane::onFrankenPhp(self::tools(), $this->application, 'worker.php', 1);

        self::assertSame($this->remedy('laravel/octane is not installed', 'laravel/octane'), $server()->missing());
        $this->install('laravel/octane');
        self::assertNull($server()->missing());
    }

    /** RoadRunner speaks protobuf since 2024: without a package that does, each answer is empty. */
    public function test_what_roadrunner_lacks_is_named_before_it_takes_part(): void
    {
        $this->standIn(Peer::RoadRunner, 'exit 1');
        $this->protobuf('echo 4.29.3');
        $http = 'spiral/roadrunner-http';
        $why = 'is installed, and 3.5 is the first whose answers RoadRunner understands since 2024'
            . ' ("unknown payload type: 0", and an empty answer, to others)';
        $said = fn (): ?string => (new RoadRunner(self::tools(), 'ping.php', $this->folder, 1))->missing();

        self::assertSame($this->remedy("$http is not installed", "$http:^3.5"), $said());
        foreach (['v3.4.2', '3.2.0', null] as $version) {
            $this->install($http, $version);
            $which = $version ?? 'of unknown version';
            self::assertSame($this->remedy("$http $which $why", "$http:^3.5"), $said());
        }
        foreach (['v3.5.0', '3.10.1', 'dev-main', '4.0.0'] as $version) {
            $this->install($http, $version);
            self::assertNull($said(), $version);
        }
        $this->protobuf('exit 1');
        $php = 'PHP ' . self::tools()->php->series();
        self::assertSame("$php has no extension protobuf, and HOWDAH_BENCH_PROTOBUF names none that it can load: without it"
            . " RoadRunner's messages are read by PHP code, which is slow", $said());
    }

    /** Instead of thirty lines of a stack. */
    public function test_octane_on_roadrunner_names_each_package_that_it_lacks(): void
    {
        $this->standIn(Peer::RoadRunner, 'exit 1');
        $this->protobuf('echo 4.29.3');
        $said = fn (): ?string => Octane::onRoadRunner(self::tools(), $this->application, 1)->missing();
        $wanted = ['laravel/octane' => '', 'spiral/roadrunner-cli' => '', 'spiral/roadrunner-http' => ':^3.5'];
        foreach ($wanted as $package => $version) {
            self::assertSame($this->remedy("$package is not installed", $package . $version), $said());
            $this->install($package, '3.5.0');
        }
        self::assertNull($said());
        $this->protobuf('exit 1');
        self::assertStringContainsString('has no extension protobuf', (string) $said());
    }

    /** Octane looks for the name rr in PATH; ours is wherever the variable says. */
    public function test_octane_finds_the_roadrunner_that_is_named(): void
    {
        $this->standIn(Peer::RoadRunner, 'echo "the one that is named"; exit 1');
        rename("$this->folder/rr", "$this->folder/roadrunner-2025");
        putenv("HOWDAH_BENCH_ROADRUNNER=$this->folder/roadrunner-2025");
        $this->protobuf('echo 4.29.3; [ "$2" != octane:start ] || { echo "$GOMAXPROCS" "$@" >>"$0.log"; exec rr; }');
        foreach (['laravel/octane', 'spiral/roadrunner-cli', 'spiral/roadrunner-http'] as $package) {
            $this->install($package, '3.5.0');
        }
        $octane = $this->start(Octane::onRoadRunner(self::tools(), $this->application, 3));

        self::assertSame('the one that is named', $octane['said']);
        $log = implode(array_map(file_get_contents(...), glob("$this->folder/path/*.log") ?: []));
        self::assertMatchesRegularExpression('~^\d+ \S+/artisan octane:start --server=roadrunner .*--workers=3 ~', $log);
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
        $this->install('spiral/roadrunner-http', '3.5.0');
        $this->protobuf('echo 4.29.3');
        $runner = $this->start(new RoadRunner(self::tools(), '/ping.php', $this->folder, 3, ['/a', '/b']));
        [$json, $scanned] = explode("\n", $runner['said']);
        self::assertStringContainsString("\"address\":\"127.0.0.1:{$runner['port']}\"", $json);
        self::assertStringContainsString('"pool":{"num_workers":3,"max_jobs":0}', $json);
        self::assertStringContainsString('"/ping.php","/a","/b"],"relay":"pipes"', $json);
        self::assertStringContainsString('"output":["stderr"]', $json);
        self::assertStringEndsWith('/conf.d', $scanned);
    }

    public function test_roadrunner_behind_nginx_is_asked_by_fastcgi(): void
    {
        $runner = new RoadRunner(self::tools(), '/ping.php', $this->folder, 2);
        $server = new NginxServer(self::tools(), new RoadRunnerFcgi($runner), peer: $runner);
        self::assertSame(RoadRunner::PHP, $server->php());
        self::assertSame($runner->missing(), $server->missing());

        $this->standIn(Peer::RoadRunner, 'cat "$3"; exit 1');
        $this->install('spiral/roadrunner-http', '3.5.0');
        $this->protobuf('echo 4.29.3');
        $json = $this->start($server)['said'];
        self::assertMatchesRegularExpression('~"http":\{"fcgi":\{"address":"tcp://127.0.0.1:\d+"\},"access_logs"~', $json);
        self::assertStringContainsString('"pool":{"num_workers":2,"max_jobs":0}', $json);
    }

    /** Published tables have settings of their own, which everybody gets. */
    public function test_more_settings_reach_every_server(): void
    {
        $tools = self::tools()->with(['opcache.jit_buffer_size' => '32M', 'realpath_cache_ttl' => '77']);
        $this->standIn(Peer::Unit, 'cat "${PHP_INI_SCAN_DIR#*:}"/*.ini; exit 1');
        $ini = "opcache.jit_buffer_size=\"32M\"\nrealpath_cache_ttl=\"77\"";
        self::assertSame($ini, $this->start(new Unit($tools, $this->application, 1))['said']);

        $this->standIn(Peer::FrankenPhp, 'cat "$3"; exit 1');
        $franken = $this->start(FrankenPhp::classic($tools, $this->application, 1))['said'];
        self::assertStringContainsString("php_ini opcache.jit_buffer_size \"32M\"\n", $franken);
        self::assertSame(1, substr_count($franken, 'jit_buffer_size'));

        $this->standIn(Peer::RoadRunner, 'cat $(echo "$PHP_INI_SCAN_DIR" | cut -d: -f2)/*.ini; exit 1');
        $this->install('spiral/roadrunner-http', '3.5.0');
        $this->protobuf('echo 4.29.3');
        self::assertSame($ini, $this->start(new RoadRunner($tools, '/ping.php', $this->folder, 1))['said']);

        $page = Page::saying('/', '77 33554432');
        file_put_contents($this->application->front, '<?= ini_get("realpath_cache_ttl"), " ",'
            . ' ini_parse_quantity(ini_get("opcache.jit_buffer_size"));');
        $contents = [
            'Howdah' => Realms::classic($tools->module, $this->application),
            'php-fpm' => new Fpm($tools, $this->application, 1),
        ];
        foreach ($contents as $name => $content) {
            $contender = new Contender($name, new NginxServer($tools, $content), $page);
            try {
                $contender->start();
            } finally {
                $contender->stop();
            }
        }
    }

    /** With one, a PHP call that waits keeps the others waiting for up to 10 ms, which is no fair contender. */
    public function test_servers_in_go_run_four_of_its_threads_at_least(): void
    {
        $this->standIn(Peer::FrankenPhp, 'echo "$GOMAXPROCS"; exit 1');
        $this->standIn(Peer::RoadRunner, 'echo "$GOMAXPROCS"; exit 1');
        $this->install('spiral/roadrunner-http', '3.5.0');
        $this->protobuf('echo 4.29.3');
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

    /** A php that is asked for its extension's version, and says so or not. */
    private function protobuf(string $script): void
    {
        $program = "$this->folder/path/php" . self::tools()->php->series();
        is_dir(dirname($program)) || mkdir(dirname($program));
        file_put_contents($program, "#!/bin/sh\n$script\n");
        chmod($program, 0755);
        putenv('PATH=' . dirname($program) . ":$this->path");
    }

    private function install(string $package, ?string $version = null): void
    {
        is_dir("$this->folder/vendor/$package") || mkdir("$this->folder/vendor/$package", recursive: true);
        is_dir("$this->folder/vendor/composer") || mkdir("$this->folder/vendor/composer");
        $file = "$this->folder/vendor/composer/installed.json";
        $noted = is_file($file) ? json_decode((string) file_get_contents($file), true, flags: JSON_THROW_ON_ERROR) : [];
        $packages = is_array($noted) && is_array($noted['packages'] ?? null) ? $noted['packages'] : [];
        $packages[$package] = $version === null ? null : ['name' => $package, 'version' => $version];
        file_put_contents($file, json_encode(['packages' => $packages], JSON_THROW_ON_ERROR));
    }

    private function remedy(string $fault, string $wanted): string
    {
        return "$fault: `composer --working-dir=$this->folder require $wanted`";
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
        return self::$tools ??= Tools::find(dirname(__DIR__, 2));
    }
}
