<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * With --rewind each request finds what the first one has found: scripts/rewind.php tells what it finds, and leaves something
 * behind.
 */
#[Group('rewind')]
final class RewindTest extends TestCase
{
    private const ONE_REALM = ['--mode=worker', '--realms=1', '--ini=display_errors=1', '--memory'];

    private const EXTENSIONS = ['mbstring', 'dom', 'simplexml', 'intl', 'pdo', 'pdo_sqlite', 'curl'];

    /** What a request leaves behind so that the next one of a realm would find it, and what tells of it there. */
    private const KINDS = [
        'static' => 'kept', 'megabytes' => 'memory', 'chunks' => 'memory', 'global' => 'global', 'application' => 'memory',
        'unset' => 'app', 'cycle' => 'gc', 'class' => null, 'classes' => null, 'function' => null, 'constant' => 'constants',
        'include' => 'included', 'ini' => 'ini', 'reporting' => 'reporting', 'handlers' => 'memory',
        'last error' => null, 'autoloader' => 'autoloaders', 'zone' => 'zone', 'locale' => 'locale', 'umask' => 'umask',
        'wrapper' => 'wrappers', 'no wrapper' => 'wrappers', 'filter' => 'filters', 'no collector' => 'gc',
        'encoding' => 'encoding', 'xml' => 'xml', 'intl' => 'intl', 'descriptors' => 'descriptors',
        'connections' => 'kept', 'suspended' => 'kept', 'weak' => 'kept', 'abort' => 'abort', 'limit' => 'limit',
        'object' => 'kept', 'dates' => 'kept', 'buffer' => null, 'session' => null, 'shutdown' => null, 'patterns' => null,
        'pattern limits' => 'matches', 'things' => 'things',
        'sort of the settings' => null, 'roots' => 'memory', 'ticks' => null, 'host' => null,
        'mb_ereg' => null, 'random' => null, 'lock' => null, 'closing' => null,
    ];

    /** What is not put back. */
    private const REPLACED = [
        'folder' => 'the working directory', 'environment' => 'the environment (putenv())',
        'mb_regex_set_options' => 'mb_regex_set_options', 'mbstring' => 'mbstring.',
        'charset' => 'default_charset, or another encoding', 'folder at last' => 'the working directory',
        'session at last' => 'a session that began when a stream was closed',
    ];

    public function testNothingOfARequestIsSeenByTheNextOne(): void
    {
        $kinds = array_keys(self::KINDS);
        [$with, $without] = [self::each($kinds, '--rewind'), self::each($kinds)];
        self::assertSame(1, $with->figure('births'), $with->err);
        [$found, $seen] = [self::found($with), self::found($without)];
        self::assertCount(count($kinds) + 1, $found, $with->out . $with->err);
        self::assertCount(count($kinds) + 1, $seen, $without->out . $without->err);
        foreach ($kinds as $number => $kind) {
            self::assertSame($found[0], $found[$number + 1], "of \"$kind\" something is left");
            if (($key = self::KINDS[$kind]) !== null) {
                self::assertNotSame($seen[$number][$key], $seen[$number + 1][$key], "without rewind \"$kind\" is seen");
            }
        }
    }

    public function testAllOfThemTogetherLeaveNothing(): void
    {
        $kinds = array_values(array_diff(array_keys(self::KINDS), ['session', 'class', 'function']));
        $run = self::four(['--rewind'], implode(',', $kinds));
        $found = self::found($run);
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertCount(4, $found, $run->out . $run->err);
        self::assertSame([$found[0]], array_values(array_unique($found, SORT_REGULAR)));
    }

    /** @return iterable<string, array{string, string}> */
    public static function whatIsNotPutBack(): iterable
    {
        foreach (self::REPLACED as $kind => $said) {
            yield $kind => [$kind, $said];
        }
    }

    #[DataProvider('whatIsNotPutBack')]
    public function testARequestThatChangesWhatIsNotPutBackIsItsRealmsLast(string $kind, string $said): void
    {
        $run = self::four(['--rewind'], $kind);
        self::assertSame(4, $run->figure('births'), $run->err);
        self::assertSame(1, substr_count($run->err, "does not put back ({$said})"), $run->err);
        $found = self::found($run);
        // The first realm of a process compiles; those after it find the code.
        self::assertSame($found[1], $found[2]);
        self::assertSame($found[1], $found[3]);
    }

    /** Nothing is held of the folder that the process began in: such a request has moved as the boot has, which was moved to it. */
    public function testARequestThatLeavesTheFolderOfTheProcessIsItsRealmsLast(): void
    {
        $before = (string) getcwd();
        $script = self::script('', 'echo getcwd(), "\n"; usleep(1); chdir("/");');
        try {
            chdir(dirname($script));
            $run = Runner::run($script, [...self::ONE_REALM, '--rewind', '--requests=3'], extensions: []);
        } finally {
            chdir($before);
            unlink($script);
        }
        self::assertStringStartsWith(str_repeat(dirname($script) . "\n", 3), $run->out, $run->err);
    }

    /** PHP itself crashes there, when the wrapper has gone before the last stream. */
    public function testAStreamThatOpensAnotherOneWhileItIsClosedIsClosed(): void
    {
        $run = self::four(['--rewind'], 'stream at last');
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertCount(1, array_unique(self::found($run), SORT_REGULAR));
    }

    /** The realm's script ends with it, as with any that nobody catches. */
    public function testWhatARequestsEndThrowsIsAFatalError(): void
    {
        foreach (['throws at last' => 'thrown at last', 'destructor' => 'thrown by a destructor'] as $kind => $said) {
            $run = self::four(['--rewind'], $kind);
            self::assertSame(4, $run->figure('births'), $run->err);
            self::assertSame(4, substr_count($run->err, "PHP Fatal error:  Uncaught RuntimeException: {$said}"), $run->err);
            self::assertCount(4, self::found($run));
        }
    }

    public function testDestructorsAndTheBootsShutdownFunctionsRunForEachRequest(): void
    {
        $run = self::four(['--rewind'], 'object');
        self::assertSame(4, substr_count($run->err, 'destructor of what is kept'), $run->err);
        // For each of four requests, and where there was one since the last, at the script's end.
        self::assertGreaterThanOrEqual(4, substr_count($run->err, "the boot's shutdown function"), $run->err);
    }

    /** Functions first, also those of what follows the handler; then what globals hold, the last one first; then all others. */
    #[TestWith([''])]
    #[TestWith(['throw=1'])]
    public function testWhatRunsAtARequestsEndRunsInTheOrderOfPhpFpm(string $query): void
    {
        $ends = static function (string ...$options) use ($query): array {
            $options = [...array_values($options), '--realms=1', '--requests=1', "--query={$query}"];
            preg_match_all('/ (end: .*)$/m', Runner::run('ends.php', $options, extensions: [])->err, $lines);

            return $lines[1];
        };
        [$classic, $rewind] = [$ends('--mode=classic'), $ends('--mode=worker', '--rewind')];
        self::assertGreaterThan($query === '' ? 9 : 5, count($classic), implode("\n", $classic));
        // Then the script ends, too, and what it had booted.
        self::assertSame($classic, array_slice($rewind, 0, count($classic)));
    }

    /** Its realm ends with an error, after as long as a request may compute; the next ones answer. */
    public function testADestructorThatComputesForEverIsEnded(): void
    {
        $script = self::script(
            'class Loops { function __destruct() { for (;;) {} } }',
            'echo "answered\n"; if ($_GET["i"] === "0") { $GLOBALS["loops"] = new Loops(); }',
        );
        $options = ['--rewind', '--requests=3', '--query=i=%d', '--ini=max_execution_time=1'];
        try {
            $run = Runner::run($script, [...self::ONE_REALM, ...$options], extensions: [], limit: 60);
        } finally {
            unlink($script);
        }
        self::assertStringStartsWith(str_repeat("answered\n", 3), $run->out, $run->err);
        self::assertSame(1, substr_count($run->err, 'PHP Fatal error:  Maximum execution time of 1'), $run->err);
    }

    public function testNoTwoRequestsDrawTheSame(): void
    {
        $options = [...self::ONE_REALM, '--rewind', '--requests=200', '--query=draw=1&do=random'];
        $run = Runner::run('rewind.php', $options);
        self::assertSame(200, preg_match_all('/^drew (\S+) (\S+) (\S+) (\S+)$/m', $run->out, $drawn), $run->err);
        foreach ([1, 2, 3, 4] as $column) {
            self::assertCount(200, array_unique($drawn[$column]));
        }
    }

    public function testRequestsThatLeakEndWithTheMemoryOfTheFirst(): void
    {
        $requests = getenv('HOWDAH_LONG') ? 2000 : 60;
        $options = ['--mode=worker', '--rewind', '--realms=1', '--memory', '--quiet', "--requests={$requests}"];
        foreach (['megabytes,static,cycle,classes', 'xml,intl,connections,descriptors'] as $kinds) {
            $run = Runner::run('rewind.php', [...$options, "--query=do={$kinds}"]);
            self::assertSame(1, $run->figure('births'), $run->err);
            self::assertLessThan(2048, $run->figure('late') - $run->figure('early'), 'KB; 9 MB are left by each request');
        }
    }

    /** What PHP allocates once by malloc(), and keeps for later: 3,000 requests would lose 3 MB of it. */
    public function testWhatIsMallocedOnceIsNotLost(): void
    {
        $script = self::script('', 'gethostbyname("127.0.0.1"); register_tick_function("strlen", "");');
        try {
            $run = Runner::run($script, [...self::ONE_REALM, '--rewind', '--requests=3000', '--quiet']);
        } finally {
            unlink($script);
        }
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertLessThan(512, $run->figure('late') - $run->figure('early'), 'KB');
    }

    /** The boot has turned the collector off, and a request turns it on: it has a buffer then. */
    public function testACollectorThatARequestTurnsOnIsOffInTheNextOne(): void
    {
        $options = ['--rewind', '--ini=zend.enable_gc=0'];
        foreach (['collector', 'collector,roots,cycle'] as $kinds) {
            $run = self::four($options, $kinds);
            self::assertSame(1, $run->figure('births'), $run->err);
            self::assertSame([[false, 0]], array_values(array_unique(array_column(self::found($run), 'gc'), SORT_REGULAR)));
        }
    }

    /** tidy keeps what ini_set() has told it beside PHP's settings. */
    public function testASettingOfTidyIsOfItsRequestAlone(): void
    {
        $script = self::script('', 'if ($_GET["i"] === "1") { ini_set("tidy.clean_output", "1"); } echo "<p>text";');
        $options = ['--rewind', '--requests=4', '--query=i=%d'];
        try {
            $run = Runner::run($script, [...self::ONE_REALM, ...$options], extensions: ['tidy']);
        } finally {
            unlink($script);
        }
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertSame([1, 4], [substr_count($run->out, '</html>'), substr_count($run->out, '<p>text')], $run->out);
    }

    /** Which request collects old sessions is a lot that each draws for itself. */
    public function testOldSessionsAreCollectedBySomeRequests(): void
    {
        $options = ['--rewind', '--requests=60', '--ini=session.gc_probability=1', '--ini=session.gc_divisor=2'];
        $run = Runner::run('rewind.php', [...self::ONE_REALM, ...$options, '--query=do=collected+session']);
        $collected = substr_count($run->err, 'old sessions are collected');
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertGreaterThan(5, $collected, $run->err);
        self::assertLessThan(55, $collected, $run->err);
    }

    public function testClassicModeRefusesIt(): void
    {
        $run = Runner::run('rewind.php', ['--rewind']);
        self::assertNotSame(0, $run->exit);
        self::assertStringContainsString('rewind is for worker mode', $run->err);
    }

    /** The walks of the property test, one after the other in a few realms, of which none is replaced. */
    public function testWalksOverEveryKindOfStateFindTheirOwn(): void
    {
        $requests = getenv('HOWDAH_LONG') ? 1050 : 60; // of 100 steps: 210,000 in both runs
        foreach ([[], ['--chaos=7']] as $chaos) {
            $run = Runner::run('rewind-walk.php', [
                '--mode=worker', '--rewind', '--realms=4', '--at-once=4', "--requests={$requests}", '--method=POST',
                '--path=/walk.php',
                '--query=id=r%d&kind=form&seed=3&steps=100', '--cookie=probe_in=cookie.r%d',
                '--header=HTTP_X_PROBE=header.r%d', '--header=HTTP_ACCEPT_ENCODING=gzip',
                '--content-type=application/x-www-form-urlencoded', '--body=field=field.r%d', '--expect-part="ok":true',
                '--ini=ffi.enable=1', '--ini=phar.readonly=0', '--memory', ...$chaos,
            ]);
            self::assertStringContainsString("{$requests} answers, 0 wrong", $run->err);
            self::assertSame(0, $run->figure('deaths'), $run->err);
        }
    }

    /**
     * Requests that leave one kind each, and another one that leaves nothing.
     *
     * @param list<string> $kinds
     */
    private static function each(array $kinds, string ...$options): Runner
    {
        $query = '--query=one=%d&do=' . urlencode(implode(',', $kinds));
        $all = [...self::ONE_REALM, ...array_values($options), '--requests=' . (count($kinds) + 1), $query];

        return Runner::run('rewind.php', $all, extensions: self::EXTENSIONS);
    }

    /** @param list<string> $options */
    private static function four(array $options, string $kind): Runner
    {
        $all = [...self::ONE_REALM, ...$options, '--requests=4', '--query=do=' . str_replace(' ', '+', $kind)];

        return Runner::run('rewind.php', $all, extensions: self::EXTENSIONS);
    }

    /** A worker script; to be removed. */
    private static function script(string $boot, string $request, string $use = ''): string
    {
        $script = tempnam(sys_get_temp_dir(), 'howdah-rewind');
        self::assertIsString($script);
        file_put_contents($script, "<?php {$boot} while (frankenphp_handle_request(function () {$use} { {$request} })) {}");

        return $script;
    }

    /** @return list<array<string, mixed>> */
    private static function found(Runner $run): array
    {
        preg_match_all('/^\{.*\}$/m', $run->out, $lines);

        /** @var list<array<string, mixed>> */
        return array_map(static fn (string $line): mixed => json_decode($line, true), $lines[0]);
    }
}
