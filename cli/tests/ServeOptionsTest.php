<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\AccessLog;
use Howdah\Cli\LogStyle;
use Howdah\Cli\Mode;
use PHPUnit\Framework\Attributes\DataProvider;

final class ServeOptionsTest extends CliTestCase
{
    public function test_nothing_given_means_this_folder_all_cores_and_sixteen_realms(): void
    {
        $options = $this->options('');

        self::assertSame('.', $options->path);
        self::assertSame('127.0.0.1:8080', $options->listen->toNginx());
        self::assertSame((int) shell_exec('nproc'), $options->workers);
        self::assertSame([16, 0, 4], [$options->concurrency, $options->adaptive, $options->scripts]);
        self::assertNull($options->mode);
        self::assertEquals(new AccessLog(LogStyle::Combined), $options->accessLog);
    }

    public function test_files_beside_a_worker_script_get_a_quarter_of_the_realms_or_what_is_said(): void
    {
        $usual = ['' => 4, '--concurrency=2' => 1, '--concurrency=1' => 0, '--concurrency=256' => 64, '--scripts=0' => 0,
            '--scripts=9' => 9, '--concurrency=1 --scripts=0' => 0];
        foreach ($usual as $given => $scripts) {
            self::assertSame($scripts, $this->options($given)->scripts, $given);
        }
    }

    public function test_everything_given_is_kept(): void
    {
        $options = $this->options('/srv/app --workers=3 --concurrency=5 --adaptive=2 --mode=classic --docroot=web'
            . ' --stop-timeout=7 --ini=memory_limit=256M --ini=date.timezone=Europe/Oslo --ini=error_prepend_string='
            . ' --no-access-log');

        self::assertSame('/srv/app', $options->path);
        self::assertSame([3, 5, 7], [$options->workers, $options->concurrency, $options->stopTimeout]);
        self::assertSame(2, $options->adaptive);
        self::assertSame(Mode::Classic, $options->mode);
        self::assertSame('web', $options->docroot);
        self::assertSame(
            ['memory_limit=256M', 'date.timezone=Europe/Oslo', 'error_prepend_string='],
            $options->ini,
        );
        self::assertEquals(new AccessLog(null), $options->accessLog);
    }

    public function test_the_access_log_has_the_style_that_is_given(): void
    {
        self::assertEquals(new AccessLog(LogStyle::Json), $this->options('--log=json')->accessLog);
        self::assertEquals(new AccessLog(LogStyle::Pretty), $this->options('--log=pretty')->accessLog);
        $this->expectExceptionMessage('--log=xml is unknown: give combined, pretty or json');
        $this->options('--log=xml');
    }

    public function test_slow_requests_are_asked_for_as_nginx_reads_it(): void
    {
        self::assertNull($this->options('')->slowLog);
        foreach (['2' => '2s', '2s' => '2s', '500ms' => '500ms', '1m' => '1m'] as $given => $time) {
            $lines = ["howdah_slow $time;", 'howdah_slow_log stderr;'];
            self::assertSame($lines, $this->options("--slow=$given")->slowLog?->lines());
        }
        $lines = ['howdah_slow 2s;', 'howdah_slow_log "' . getcwd() . '/a.log";'];
        self::assertSame($lines, $this->options('--slow=2s --slow-log=a.log')->slowLog?->lines());
        $lines[1] = 'howdah_slow_log "/tmp/a.log";';
        self::assertSame($lines, $this->options('--slow=2s --slow-log=/tmp/a.log')->slowLog?->lines());
        $message = $this->failure(fn () => $this->options('--slow=2 --slow-log=/no/such/folder/a.log'));
        self::assertStringContainsString('there is no folder /no/such/folder: make it', $message);
        $message = $this->failure(fn () => $this->options('--slow=2 --slow-log=/tmp'));
        self::assertStringContainsString('is no file that nginx can write', $message);
    }

    public function test_traces_are_asked_for_as_nginx_reads_it(): void
    {
        self::assertNull($this->options('')->tracing);
        $folder = basename((string) getcwd());
        $words = "howdah_trace \"http://127.0.0.1:4318\" sample=1 \"service=$folder\";";
        self::assertSame([$words], $this->options('--trace=http://127.0.0.1:4318')->tracing?->lines());
        $words = 'howdah_trace "http://[::1]:4318/a" sample=0.25 "service=a \"shop\"";';
        $given = "--trace=http://[::1]:4318/a --trace-sample=0.25 '--trace-service=a \"shop\"'";
        self::assertSame([$words], $this->options($given)->tracing?->lines());
        $message = $this->failure(fn () => $this->options('--trace=http://127.0.0.1:4318 --trace-sample=2'));
        self::assertStringContainsString('--trace-sample=2 is out of range: give a number from 0 to 1', $message);
        $message = $this->failure(fn () => $this->options('--trace=http://127.0.0.1:4318 --trace-service='));
        self::assertStringContainsString('--trace-service= is empty', $message);
        $long = '--trace=http://127.0.0.1:4318 --trace-service=' . str_repeat('a', 256);
        $message = $this->failure(fn () => $this->options($long));
        self::assertStringContainsString('--trace-service= is 256 bytes long: give a name of at most 255', $message);
        $message = $this->failure(fn () => $this->options('--trace=http://127.0.0.1:65536'));
        self::assertStringContainsString('is no collector\'s URL', $message);
    }

    /** @return iterable<string, array{string, string}> the path, and the name */
    public static function services(): iterable
    {
        yield 'a folder' => ['shop/releases/17', '17'];
        yield 'a link' => ['live', 'live'];
        yield 'a link that all have' => ['shop/current', 'shop'];
        yield 'a folder of that name' => ['current', 'current'];
        yield 'the folder above' => ['shop/releases/..', 'shop'];
    }

    /** A deployment switches the link: another name with each release would be another service. */
    #[DataProvider('services')]
    public function test_a_service_keeps_its_name_from_release_to_release(string $path, string $name): void
    {
        $folder = sys_get_temp_dir() . '/howdah-service-' . bin2hex(random_bytes(6));
        mkdir("$folder/shop/releases/17", 0700, true);
        mkdir("$folder/current");
        symlink('releases/17', "$folder/shop/current");
        symlink('shop/releases/17', "$folder/live");
        try {
            $lines = $this->options("--trace=http://127.0.0.1:4318 $folder/$path")->tracing?->lines();
            self::assertStringEndsWith("\"service=$name\";", $lines[0] ?? '');
        } finally {
            exec('rm -rf ' . escapeshellarg($folder));
        }
    }

    /** nginx would wait for a reader when it opens its logs, before it says anything, and not even Ctrl-C would end it. */
    public function test_a_pipe_without_a_reader_is_no_log(): void
    {
        $pipe = sys_get_temp_dir() . '/howdah-pipe-' . bin2hex(random_bytes(6));
        self::assertTrue(posix_mkfifo($pipe, 0600));
        try {
            $message = $this->failure(fn () => $this->options("--slow=2 --slow-log=$pipe"));
            self::assertStringStartsWith("--slow-log=$pipe is a pipe that nobody reads", $message);
            $reader = fopen($pipe, 'rn');
            self::assertIsResource($reader);
            $log = $this->options("--slow=2 --slow-log=$pipe")->slowLog;
            self::assertSame("howdah_slow_log \"$pipe\";", $log?->lines()[1]);
        } finally {
            unlink($pipe);
        }
    }

    public function test_the_jit_is_as_php_ini_says_unless_it_is_asked_for_or_forbidden(): void
    {
        $traces = PHP_VERSION_ID < 80400 ? 'tracing' : '1054';
        self::assertSame([], $this->options('')->ini);
        self::assertSame(['opcache.jit=disable'], $this->options('--jit=off')->ini);
        $given = ["opcache.jit=$traces", 'opcache.jit_buffer_size=64M'];
        self::assertSame($given, $this->options('--jit=tracing')->ini);
        self::assertSame(['opcache.jit=1035', $given[1]], $this->options('--jit=function')->ini);
        // What is said of a single setting comes later, and counts.
        $more = 'opcache.jit_buffer_size=128M';
        self::assertSame([...$given, $more], $this->options("--ini=$more --jit=tracing")->ini);
        foreach (['', 'on', '1205', 'Tracing'] as $kind) {
            $message = $this->failure(fn () => $this->options("--jit=$kind"));
            self::assertSame("--jit=$kind is unknown: give off, tracing or function", $message);
        }
    }

    public function test_settings_and_extensions_may_come_again(): void
    {
        $options = $this->options('--ini=extension=a --ini=extension=b --shared-extension=a --shared-extension=b');

        self::assertSame(['extension=a', 'extension=b'], $options->ini);
        $engine = ['--realms=16', '--ini=extension=a', '--ini=extension=b', '--ini=auto_prepend_file=',
            '--ini=auto_append_file=', '--ini=open_basedir=', '--ini=disable_functions=', '--ini=output_handler=',
            '--shared-extension=a', '--shared-extension=b'];
        self::assertSame($engine, $options->engineArguments());
        $engine = ['--realms=1', ...array_slice($engine, 1), '--shared-extension=c'];
        self::assertSame($engine, $options->engineArguments(1, ['c']));
    }

    public function test_what_is_said_of_the_pool_becomes_directives_and_the_rest_is_left_to_the_module(): void
    {
        self::assertSame([], $this->options('')->pool->directives);
        $options = $this->options('--warm=2 --max-requests=500 --idle-timeout=30 --boot-timeout=90'
            . ' --realm-memory=64M --worker-memory=1g --client-abort=cancel --rewind');

        self::assertSame(
            ['howdah_warm 2;', 'howdah_max_requests 500;', 'howdah_idle_timeout 30s;', 'howdah_boot_timeout 90s;',
                'howdah_client_abort cancel;', 'howdah_realm_memory 64M;', 'howdah_worker_memory 1g;', 'howdah_rewind on;'],
            $options->pool->directives,
        );
    }

    /** @return iterable<array{string, string}> */
    public static function mistakes(): iterable
    {
        yield '--workers=0' => ['--workers=0', 'whole number from 1 to 1024'];
        yield '--workers=1025' => ['--workers=1025', 'whole number from 1 to 1024'];
        yield '--workers=two' => ['--workers=two', 'whole number from 1 to 1024'];
        yield '--concurrency=0' => ['--concurrency=0', 'whole number from 1 to 10000'];
        yield '--concurrency=10001' => ['--concurrency=10001', 'whole number from 1 to 10000'];
        yield '--concurrency=1e3' => ['--concurrency=1e3', 'whole number from 1 to 10000'];
        yield '--concurrency=' => ['--concurrency=', 'whole number from 1 to 10000'];
        yield '--concurrency=99999999999999999999' => ['--concurrency=99999999999999999999', 'whole number from 1 to 10000'];
        yield '--adaptive=0' => ['--adaptive=0', 'whole number from 1 to 16'];
        yield '--adaptive=17' => ['--adaptive=17', '--adaptive=17 is out of range: give a whole number from 1 to 16'];
        yield '--scripts=-1' => ['--scripts=-1', 'whole number from 0 to 10000'];
        yield '--scripts=1' => ['--scripts=1 --concurrency=1', 'leave out one of them'];
        yield '--adaptive=' => ['--adaptive=', 'whole number from 1 to 16'];
        yield '--stop-timeout=-1' => ['--stop-timeout=-1', 'whole number from 0 to 3600'];
        yield '--warm=10001' => ['--warm=10001', 'whole number from 0 to 10000'];
        yield '--boot-timeout=0' => ['--boot-timeout=0', 'whole number from 1 to'];
        yield '--idle-timeout=1m' => ['--idle-timeout=1m', 'whole number from 0 to'];
        yield '--worker-memory=much' => ['--worker-memory=much', '--worker-memory=256M'];
        yield '--realm-memory=-1' => ['--realm-memory=-1', '--realm-memory=256M'];
        yield '--client-abort=stay' => ['--client-abort=stay', 'give cancel or continue'];
        yield '--slow=soon' => ['--slow=soon', 'as in --slow=500ms'];
        yield '--slow=0' => ['--slow=0', 'as in --slow=500ms'];
        yield '--slow=-1' => ['--slow=-1', 'as in --slow=500ms'];
        yield '--slow-log without --slow' => ['--slow-log=slow.log', 'say how long a slow request takes, as in --slow=2s'];
        yield '--trace=on' => ['--trace=on', '--trace=on is no collector\'s URL: give http, a host and a port'];
        yield '--trace=https:' => ['--trace=https://127.0.0.1:4318', 'let a collector on this machine pass spans on'];
        foreach (['HTTP://h:1', 'http://a:b@h:1', 'http://h:0', 'http://h:1?a', 'http://h:1/a#b'] as $url) {
            yield "--trace=$url" => ["--trace=$url", "$url is no collector's URL"]; // nor nginx's
        }
        yield '--trace without a port' => ['--trace=http://127.0.0.1', 'is no collector\'s URL'];
        yield '--trace-sample without --trace' => ['--trace-sample=0.1', 'say where traces go, as in --trace=http://127'];
        yield '--status=here' => ['--status=here', 'no address to listen on: give PORT or HOST:PORT, as in --status=9090'];
        yield '--status=0' => ['--status=0', 'give one from 1 to 65535'];
        yield '--status=unix:' => ['--status=unix:/tmp/s', 'is no port: give PORT or HOST:PORT, as in --status=9090'];
        yield '--status on the port of the application' => ['--status=8080', 'is where the application is served'];
        yield '--mode=octane' => ['--mode=octane', 'auto, classic or worker'];
        yield '--ini=memory_limit' => ['--ini=memory_limit', 'KEY=VALUE'];
        yield '--ini==1' => ['--ini==1', 'KEY=VALUE'];
        yield '"--ini=a b=1"' => ['"--ini=a b=1"', 'KEY=VALUE'];
        yield '--ini of two lines' => ["'--ini=a=1\nb=2'", 'KEY=VALUE'];
        yield '--user=nobody-of-that-name' => ['--user=nobody-of-that-name', ''];
    }

    #[DataProvider('mistakes')]
    public function test_a_mistake_is_named_with_what_would_be_right(string $commandLine, string $right): void
    {
        try {
            $this->options($commandLine);
            self::fail("$commandLine was accepted");
        } catch (\Howdah\Cli\Failure $failure) {
            self::assertStringContainsString(trim($commandLine, '"\''), $failure->getMessage());
            self::assertStringContainsString($right, $failure->getMessage());
        }
    }
}
