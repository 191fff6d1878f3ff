<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Doctor\Finding;
use Howdah\Cli\Doctor\Kernel;
use Howdah\Cli\Doctor\LimitsCheck;
use Howdah\Cli\Doctor\OpcacheCheck;
use Howdah\Cli\Doctor\PhpFiles;
use Howdah\Cli\Doctor\ProcessNumberCheck;
use Howdah\Cli\Doctor\RealmCost;
use Howdah\Cli\Installation;
use Howdah\Cli\PhpSettings;
use PHPUnit\Framework\Attributes\DataProvider;

/** Opcache and the kernel's limits, on machines that are made up. */
final class DoctorChecksTest extends CliTestCase
{
    private const SETTINGS = ['opcache.memory_consumption' => '128', 'opcache.interned_strings_buffer' => '8',
        'opcache.validate_timestamps' => '1', 'opcache.revalidate_freq' => '2', 'memory_limit' => '128M'];

    /** What howdah-run prints with realms of 100 MB, called with --realms=N first. */
    private const RUNNER = <<<'SH'
        #!/bin/sh
        n=${1#--realms=}
        echo "size maps=$((600 + 5 * n)) address_space=$((200000000 + 100000000 * n)) private=$((1000000 * n))"
        echo "resident_kb early=1 late=1 requests=1 births=$n deaths=0"
        SH;

    public function test_an_opcache_that_is_large_enough_is_well(): void
    {
        self::assertSame(['ok', 'ok', 'ok'], $this->ratings($this->opcache([], 100)));
    }

    public function test_more_scripts_than_opcache_has_room_for_are_noted_with_the_setting(): void
    {
        $findings = $this->opcache(['opcache_keys' => 223], 1200);

        self::assertSame(['note', 'ok', 'ok'], $this->ratings($findings));
        self::assertStringContainsString('room for 223 scripts', $findings[0]->message);
        self::assertStringContainsString('opcache.max_accelerated_files=2000', $findings[0]->message);
    }

    public function test_an_opcache_too_small_for_the_code_is_noted_with_the_setting(): void
    {
        $findings = $this->opcache(['settings' => ['opcache.memory_consumption' => '16'] + self::SETTINGS], 1200);

        self::assertSame(['note', 'ok', 'ok'], $this->ratings($findings));
        self::assertStringContainsString('set it to 64', $findings[0]->message);
    }

    public function test_code_that_is_never_looked_at_again_is_noted(): void
    {
        $findings = $this->opcache(['settings' => ['opcache.validate_timestamps' => '0'] + self::SETTINGS], 1);

        self::assertSame(['ok', 'note', 'ok'], $this->ratings($findings));
    }

    public function test_code_that_asks_for_the_process_number_is_named(): void
    {
        $project = $this->project([
            'src/Lock.php' => '<?php file_put_contents("lock", \getmypid());',
            'src/Name.php' => '<?php $name = "x." . Posix_getpid();',
            'src/Said.php' => '<?php /* getmypid() */ echo "posix_getpid()"; $mygetmypid = 1;',
            'src/notes.txt' => '<?php getmypid();',
            'vendor/a/b.php' => '<?php getmypid();',
        ]);

        $findings = (new ProcessNumberCheck($project))->findings();

        self::assertSame(['note'], $this->ratings($findings));
        self::assertStringStartsWith('src/Lock.php, src/Name.php: getmypid()', $findings[0]->message);
    }

    public function test_code_that_does_not_is_not(): void
    {
        $project = $this->project(['index.php' => '<?php echo "front page";']);

        self::assertSame([], (new ProcessNumberCheck($project))->findings());
    }

    public function test_a_machine_that_limits_little_is_well(): void
    {
        $limits = $this->limits('--concurrency=16 --workers=2', ['proc/sys/vm/max_map_count' => '65530']);

        self::assertSame([], array_diff(array_map(static fn (Finding $one): string => $one->rating->value, $limits), ['ok']));
    }

    /** @return iterable<string, array{string, string, array<string, string>, string}> */
    public static function tightMachines(): iterable
    {
        $maps = static fn (int $most): array => ['proc/sys/vm/max_map_count' => "$most\n"];
        yield 'too few maps to be born' => ['maps', 'problem', $maps(1000), 'vm.max_map_count is 1000'];
        yield 'too few maps to grow' => ['maps', 'note', $maps(1500), 'sysctl -w vm.max_map_count='];
        $space = static fn (string $bytes): array => ['proc/self/limits' => "Max address space   $bytes   unlimited  bytes\n"];
        yield 'too little address space' => ['address space', 'problem', $space('5000000000'), 'ulimit -v unlimited'];
        yield 'address space enough' => ['address space', 'ok', $space('50000000000'), 'of address space'];
        $memory = static fn (int $left): array => [
            'proc/sys/vm/overcommit_memory' => '2',
            'proc/meminfo' => "MemAvailable: 99999999 kB\nCommitLimit: $left kB\nCommitted_AS: 0 kB\n",
        ];
        yield 'too few promises' => ['overcommit', 'problem', $memory(10_000_000), 'vm.overcommit_memory=0'];
        yield 'promises enough' => ['overcommit', 'ok', $memory(90_000_000), 'promises no more'];
        yield 'too little memory' => ['memory', 'problem', ['proc/meminfo' => "MemAvailable: 150000 kB\n"], 'lower --conc'];
    }

    /** @param array<string, string> $files */
    #[DataProvider('tightMachines')]
    public function test_a_limit_is_named_with_the_way_out(string $subject, string $rating, array $files, string $part): void
    {
        $finding = $this->limits('--concurrency=100 --workers=2', $files)[$subject];

        self::assertSame($rating, $finding->rating->value, $finding->message);
        self::assertStringContainsString($part, $finding->message);
    }

    /** @return iterable<array{int, int, string}> */
    public static function descriptors(): iterable
    {
        yield 'many' => [20000, 8192, 'ok'];
        yield 'some' => [1024, 512, 'note'];
        yield 'few' => [200, 100, 'problem'];
    }

    #[DataProvider('descriptors')]
    public function test_descriptors_are_for_clients_and_for_what_requests_open(int $all, int $clients, string $rating): void
    {
        $check = $this->check('--concurrency=100', []);

        self::assertSame($rating, $check->descriptors($all, $clients)->rating->value);
    }

    public function test_realms_that_cannot_be_made_are_said_in_the_words_of_the_engine(): void
    {
        $runner = "#!/bin/sh\necho '[error] howdah: out of memory for a new realm' >&2\necho ' births=3'\n";
        $root = $this->installation(['howdah-run' => $runner]);

        $installation = new Installation("$root/build", "$root/cli", '');
        $message = $this->failure(fn () => RealmCost::measure($installation, $this->options('')));

        self::assertStringContainsString('cannot be made: out of memory for a new realm', $message);
    }

    /**
     * @param  array<string, mixed> $difference
     * @param  int                  $files      of 10 kB each
     * @return list<Finding>
     */
    private function opcache(array $difference, int $files): array
    {
        $sources = [];
        for ($number = 0; $number < $files; $number++) {
            $sources["src/$number.php"] = str_repeat(' ', 10_000);
        }
        $sources += ['.git/x.php' => str_repeat(' ', 10 ** 8), 'node_modules/x.php' => str_repeat(' ', 10 ** 8), 'x.css' => ''];
        $php = $this->php($difference + ['opcache_keys' => 16229, 'settings' => self::SETTINGS]);

        return (new OpcacheCheck($php, PhpFiles::below($this->project($sources))))->findings();
    }

    /**
     * @param  array<string, string> $files
     * @return array<string, Finding> by subject
     */
    private function limits(string $options, array $files): array
    {
        return array_column(
            array_map(static fn (Finding $one): array => [$one->subject, $one], $this->check($options, $files)->findings()),
            1,
            0,
        );
    }

    /** @param array<string, string> $files of /proc and /sys */
    private function check(string $options, array $files): LimitsCheck
    {
        $root = $this->installation(['howdah-run' => self::RUNNER]);
        $asked = $this->options($options);
        $cost = RealmCost::measure(new Installation("$root/build", "$root/cli", ''), $asked);
        $settings = new PhpSettings(self::SETTINGS);

        return new LimitsCheck(new Kernel($this->project($files)), $cost, $asked, $settings);
    }

    /**
     * @param  list<Finding> $findings
     * @return list<string>
     */
    private function ratings(array $findings): array
    {
        return array_map(static fn (Finding $finding): string => $finding->rating->value, $findings);
    }
}
