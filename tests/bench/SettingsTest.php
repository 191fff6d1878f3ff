<?php

/** Every PHP that is compared is asked through its server: what differs is told, and one without opcache is refused by name. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Load;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Allotments;
use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Machine\Tools;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;
use Howdah\Bench\Server\Application;
use Howdah\Bench\Server\FrankenPhp;
use Howdah\Bench\Server\Octane;
use Howdah\Bench\Server\Running;
use Howdah\Bench\Suite\Given;
use Howdah\Bench\Suite\Interpreter;
use Howdah\Bench\Suite\Run;
use Howdah\Bench\Suite\Settings;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\TakingPart;
use Howdah\Cli\Failure;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class SettingsTest extends TestCase
{
    private const PHP = [
        'version' => '8.2.36',
        'zts' => false,
        'debug' => false,
        'sapi' => 'howdah',
        'extensions' => ['Core', 'intl', 'pdo_pgsql', 'Zend OPcache', 'howdah'],
        'opcache_loaded' => true,
        'opcache' => true,
        'jit' => false,
        'ini' => ['memory_limit' => '128M', 'opcache.enable' => '1', 'opcache.memory_consumption' => '128'],
    ];

    private static ?Tools $tools = null;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-settings-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        Running::refuse([]);
        putenv('HOWDAH_BENCH_FRANKENPHP');
        putenv(FrankenPhp::INI);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_what_a_peer_s_php_has_otherwise_is_told(): void
    {
        $settings = $this->settings($this->frankenPhp([
            'version' => '8.2.32',
            'zts' => true,
            'debug' => true,
            'sapi' => 'frankenphp',
            'extensions' => ['Core', 'pdo_pgsql', 'Zend OPcache', 'xmlwriter'],
            'jit' => true,
            'ini' => ['memory_limit' => '64M', 'opcache.enable' => '1', 'opcache.memory_consumption' => '64'],
        ]));

        self::assertSame([
            'PHP of Howdah' => '8.2.36, NTS, SAPI howdah, opcache on, JIT off',
            'same settings for Howdah and php-fpm' => 'opcache and extensions are the same; other differences: none',
            'PHP of FrankenPHP' => '8.2.32, ZTS, a debug build, SAPI frankenphp, opcache on, JIT on; beside Howdah\'s:'
                . ' another version than 8.2.36; without intl; with xmlwriter;'
                . ' opcache.memory_consumption: "128" here, "64" there',
        ], $settings->ask(static fn (string $what) => null));
        self::assertSame([], $settings->refusals());
    }

    /** Published tables have it on: a report has to say who runs without. */
    public function test_preloaded_scripts_are_told(): void
    {
        $told = static fn (int $scripts): string => Interpreter::of(['preloaded' => $scripts] + self::PHP)->describe();

        self::assertSame('8.2.36, NTS, SAPI howdah, opcache on, JIT off, 433 scripts preloaded', $told(433));
        self::assertSame('8.2.36, NTS, SAPI howdah, opcache on, JIT off', $told(0));
    }

    /** A published table's conditions are told with its figures, and end with it. */
    public function test_a_suite_in_given_conditions_tells_them(): void
    {
        try {
            $probe = Allotments::of('1', '256M');
            $probe->end();
        } catch (Failure $failure) {
            fwrite(STDERR, "SettingsTest: only the refusal was tested: {$failure->getMessage()}\n");
            self::assertStringContainsString('leave --cpus and --memory out', $failure->getMessage());

            return;
        }
        $one = new Contender('one', new FakeServer(), Page::saying('/', 'right'));
        $speed = new Speed('test', 'a test', new Load(self::tools()->wrk, 2), [$one], []);
        $settings = fn (): Settings => $this->settings($this->frankenPhp(['jit' => true]));
        $run = new Run(1, 1, static fn (string $what) => null);
        $result = (new Given($speed, '1', '256M', $settings))->run($run);

        self::assertSame([], $result->failures);
        self::assertSame(['one'], $result->samples?->contenders());
        $told = 'Each server is given 1 of the processors for each of its workers, 256M of memory.';
        self::assertSame($told, $result->notes[0]);
        self::assertSame('PHP of Howdah: 8.2.36, NTS, SAPI howdah, opcache on, JIT off.', $result->notes[1]);
        self::assertStringContainsString('opcache on, JIT on', $result->notes[3]);
        self::assertSame([], glob('/sys/fs/cgroup/{,*/}howdah-bench-' . getmypid() . '-*', GLOB_BRACE));
        self::assertNull(Running::give(null), 'what its servers were given is what all are given now');
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function without(): iterable
    {
        $ini = '; HOWDAH_BENCH_FRANKENPHP_INI may name a folder with an .ini file that does';
        yield 'no opcache' => [
            ['opcache_loaded' => false, 'opcache' => false, 'extensions' => ['Core', 'intl', 'pdo_pgsql']],
            'its PHP 8.2.36 runs without opcache, which nothing it reads loads (zend_extension=opcache)' . $ini,
        ];
        yield 'opcache that is off' => [
            ['opcache' => false],
            'its PHP 8.2.36 has opcache, and it is off (opcache.enable, opcache.enable_cli)' . $ini,
        ];
    }

    /** @param array<string, mixed> $facts */
    #[DataProvider('without')]
    public function test_one_without_opcache_is_refused_by_name(array $facts, string $refusal): void
    {
        $settings = $this->settings($this->frankenPhp($facts));
        $report = $settings->ask(static fn (string $what) => null);
        self::assertSame(['FrankenPHP' => $refusal], $settings->refusals());
        self::assertStringEndsWith("; refused: $refusal", $report['PHP of FrankenPHP']);

        Running::refuse($settings->refusals());
        $page = Page::saying('/', 'right');
        $takingPart = new TakingPart('test', new Run(1, 1, static fn (string $what) => null));
        $there = $takingPart->present([
            new Contender('one', $this->frankenPhp($facts), $page),
            new Contender('another', $this->frankenPhp($facts), $page),
            new Contender('sound', new FakeServer(), $page),
        ]);
        $goals = [Goal::atLeast(1, 'sound / one', Metric::Rate, 'sound', 'one')];
        $samples = new Samples();
        $samples->add('sound', Metric::Rate, 1);
        $result = $takingPart->result('a test', $samples, $goals);

        self::assertSame(['sound'], array_map(static fn (Contender $one): string => $one->name, $there));
        self::assertSame(["one; another are refused: $refusal."], $result->notes);
        self::assertSame('refused: one is refused', $result->verdicts[0]->word());
        self::assertFalse($result->hasFailed());
    }

    /** Octane's servers are those that were asked. */
    public function test_octane_is_refused_with_its_server(): void
    {
        $tools = self::tools();
        $application = new Application($this->folder, "$this->folder/front.php", "$this->folder/worker.php");
        Running::refuse(['FrankenPHP' => 'one', 'RoadRunner' => 'two', 'Swoole' => 'three']);

        self::assertSame('one', Octane::onFrankenPhp($tools, $application, 'worker.php', 1)->refusal());
        self::assertSame('two', Octane::onRoadRunner($tools, $application, 1)->refusal());
        self::assertSame('three', Octane::onSwoole($tools, $application, 1)->refusal());
        self::assertNull((new FakeServer())->refusal());
    }

    public function test_one_that_cannot_be_asked_is_named_and_not_refused(): void
    {
        putenv("HOWDAH_BENCH_FRANKENPHP={$this->program('echo it has no licence >&2; exit 1')}");
        $settings = $this->settings(FrankenPhp::worker(self::tools(), $this->application(), 1));
        $report = $settings->ask(static fn (string $what) => null);

        $said = 'unknown, it could not be asked: peer does not serve: its log ends: it has no licence';
        self::assertSame($said, $report['PHP of FrankenPHP']);
        self::assertSame([], $settings->refusals());
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function disagreements(): iterable
    {
        yield 'version' => [['version' => '8.2.35'], 'Howdah and php-fpm run different PHPs (version)'];
        yield 'opcache' => [['opcache' => false], 'Howdah and php-fpm run different PHPs (opcache)'];
        yield 'an extension' => [['extensions' => ['Core', 'intl', 'cgi-fcgi', 'apcu']], 'on one side only: apcu, pdo_pgsql'];
        $ini = ['ini' => ['opcache.memory_consumption' => '64'] + self::PHP['ini']];
        yield 'opcache.*' => [$ini, 'opcache is set differently (opcache.memory_consumption: "128" here, "64" there)'];
    }

    /** @param array<string, mixed> $facts */
    #[DataProvider('disagreements')]
    public function test_howdah_s_php_and_php_fpm_s_must_agree(array $facts, string $message): void
    {
        $this->expectException(WrongAnswer::class);
        $this->expectExceptionMessage($message);
        Settings::agreed(Interpreter::of(self::PHP), Interpreter::of($facts + self::PHP));
    }

    public function test_a_folder_of_settings_is_handed_to_frankenphp(): void
    {
        putenv(FrankenPhp::INI . "=$this->folder/ini");
        putenv("HOWDAH_BENCH_FRANKENPHP={$this->program('echo "$PHP_INI_SCAN_DIR" >&2; exit 1')}");
        $server = FrankenPhp::worker(self::tools(), $this->application(), 1);
        $this->expectExceptionMessage("it does not serve: its log ends: :$this->folder/ini");
        try {
            (new Contender('it', $server, Page::saying('/', 'right')))->start();
        } finally {
            $server->stop();
        }
    }

    private function settings(FrankenPhp $peer): Settings
    {
        $page = Page::matching('/', '/^\{"version":/');
        $fake = static fn (): FakeServer => new FakeServer(right: json_encode(self::PHP, JSON_THROW_ON_ERROR));
        $peers = ['FrankenPHP' => new Contender('peer', $peer, $page)];

        return new Settings(new Contender('ours', $fake(), $page), new Contender('theirs', $fake(), $page), $peers);
    }

    /** @param array<string, mixed> $facts what its PHP has otherwise */
    private function frankenPhp(array $facts): FrankenPhp
    {
        $told = json_encode([...self::PHP, ...$facts], JSON_THROW_ON_ERROR);
        $port = "port=\$(sed -n 's|^http://127.0.0.1:\\([0-9]*\\) {|\\1|p' \"\$3\")";
        $fake = PHP_BINARY . ' -n ' . __DIR__ . '/fake.php';
        $serve = "FAKE_RIGHT=" . escapeshellarg($told) . " exec $fake \$port none 0 /dev/null";
        putenv(Peer::FrankenPhp->variable() . "={$this->program("$port\n$serve")}");

        return FrankenPhp::worker(self::tools(), $this->application(), 1);
    }

    private static function tools(): Tools
    {
        return self::$tools ??= Tools::find(dirname(__DIR__, 2));
    }

    private function application(): Application
    {
        return new Application($this->folder, "$this->folder/front.php", "$this->folder/worker.php");
    }

    private function program(string $script): string
    {
        $program = "$this->folder/program";
        file_put_contents($program, "#!/bin/sh\n$script\n");
        chmod($program, 0755);

        return $program;
    }
}
