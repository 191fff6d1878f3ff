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
        $options = $this->options('--warm=2 --max-requests=500 --idle-timeout=30 --realm-memory=64M --worker-memory=1g'
            . ' --client-abort=cancel --rewind');

        self::assertSame(
            ['howdah_warm 2;', 'howdah_max_requests 500;', 'howdah_idle_timeout 30s;', 'howdah_client_abort cancel;',
                'howdah_realm_memory 64M;', 'howdah_worker_memory 1g;', 'howdah_rewind on;'],
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
        yield '--idle-timeout=1m' => ['--idle-timeout=1m', 'whole number from 0 to'];
        yield '--worker-memory=much' => ['--worker-memory=much', '--worker-memory=256M'];
        yield '--realm-memory=-1' => ['--realm-memory=-1', '--realm-memory=256M'];
        yield '--client-abort=stay' => ['--client-abort=stay', 'give cancel or continue'];
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
