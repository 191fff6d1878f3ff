<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Memory that requests change and no state block holds is found; extensions that keep such memory are refused, or watched.
 *
 * @phpstan-type Finding array{verdict: string, object: string, extension: string, symbol: string, words: int, seen: int,
 *                             request: string, script: string, moment: string, reason?: string}
 * @phpstan-type Extension array{name: string, verdict: string}
 * @phpstan-type Report array{complete: bool, unexplained_words: int, looks: array{middle: int, end: int},
 *                            findings: list<Finding>, objects: list<array{object: string}>, extensions: list<Extension>}
 */
#[Group('memory')]
final class AuditTest extends TestCase
{
    private const EXAMPLES = __DIR__ . '/../../examples';

    private const REQUESTS = 20;

    /**
     * Twenty requests change all the words that a hundred change: the findings, of those that are shared on purpose, too, are
     * the same. `make test-long` has more of them; the other release's root has one framework.
     *
     * @return iterable<string, array{string, string, string, int}>
     */
    public static function examples(): iterable
    {
        $long = getenv('HOWDAH_LONG') !== false;
        $framework = ['index.php', 60, 120];
        $examples = ['plain' => ['probe.php', 300, 300], 'laravel' => $framework, 'symfony' => $framework];
        if (getenv('HOWDAH_OTHER') !== false) {
            unset($examples['laravel']);
        }
        foreach ($examples as $example => [$page, $classic, $worker]) {
            yield "{$example}, classic" => [$example, 'classic', "public/{$page}", $long ? $classic : 20];
            yield "{$example}, worker" => [$example, 'worker', 'public/frankenphp-worker.php', $long ? $worker : 24];
        }
    }

    #[DataProvider('examples')]
    public function testNothingIsUnexplainedInTheExamples(string $example, string $mode, string $script, int $requests): void
    {
        $setup = self::EXAMPLES . "/{$example}/bin/setup";
        if (is_file($setup)) {
            exec(escapeshellarg($setup) . ' 2>&1', $lines, $status);
            self::assertSame(0, $status, implode("\n", $lines));
        }

        [$run, $report] = self::audit(self::EXAMPLES . "/{$example}/{$script}", [
            "--mode={$mode}",
            '--quiet',
            '--method=POST',
            '--path=' . ($example === 'plain' ? '/probe.php' : '/probe'),
            '--query=id=r%d&kind=form&ms=3&waits=sleep',
            '--cookie=probe_in=cookie.r%d',
            '--header=HTTP_X_PROBE=header.r%d',
            '--content-type=application/x-www-form-urlencoded',
            '--body=field=field.r%d',
            '--expect-part="ok":true',
            // Each boots in a realm of its own, and is looked at meanwhile.
            '--at-once=' . (getenv('HOWDAH_LONG') ? 16 : 8),
            "--requests={$requests}",
            '--chaos=3',
        ]);

        self::assertSame(0, $run->exit, substr($run->err, 0, 4000));
        self::assertSame([], self::unexplained($report));
        self::assertGreaterThan($requests, $report['looks']['middle'], 'nobody looked in the middle of requests');
        self::assertGreaterThanOrEqual($requests, $report['looks']['end']);
        $compared = array_column($report['objects'], 'object');
        self::assertNotSame([], preg_grep('/^libphp/', $compared));
        foreach (['opcache.so', 'redis.so', 'libcrypto.so', 'libxml2.so', 'libsqlite3.so', 'libpq.so'] as $object) {
            self::assertNotSame([], preg_grep('/^' . preg_quote($object, '/') . '/', $compared), "{$object} is not compared");
        }
        self::assertSame([], preg_grep('/^(libc\.so|howdah-run)/', $compared));
    }

    public function testNothingIsUnexplainedWhereRequestsAreRewound(): void
    {
        [$run, $report] = self::audit(__DIR__ . '/scripts/rewind.php', [
            '--mode=worker', '--rewind', '--quiet', '--realms=2', '--at-once=2', '--requests=20', '--query=do=static',
            '--chaos=3',
        ]);
        self::assertSame([], self::unexplained($report));
        self::assertSame(0, $run->exit, substr($run->err, 0, 4000));
        self::assertStringNotContainsString('cannot be rewound', $run->err);
    }

    /**
     * The audit tells of a state block that is shared, too: what is private is not private by chance.
     */
    #[TestWith(['pcre.mdata_used'], 'pcre.mdata_used')]
    #[TestWith(['date'], 'date')]
    #[TestWith(['basic_globals'], 'basic_globals')]
    public function testABlockThatIsTakenAwayIsFound(string $block): void
    {
        [$run, $report] = self::audit('extension.php', ["--without-block={$block}", '--query=do=block', '--realms=1']);
        $found = self::unexplained($report);

        self::assertSame(3, $run->exit, $run->err);
        self::assertStringStartsWith('libphp', $found[0]['object']);
        if ($block === 'basic_globals') {
            self::assertContains($block, array_column($found, 'symbol'));
        }
    }

    public function testAHiddenStaticIsFoundWithItsNameAndTheRequestThatChangedIt(): void
    {
        [$run, $report] = self::audit('extension.php', [...self::with('counter'), '--realms=1', '--path=/page']);

        self::assertSame(3, $run->exit);
        self::assertStringContainsString('audit: 1 unexplained words', $run->err);
        $found = self::unexplained($report);
        self::assertCount(1, $found);
        self::assertSame(['counter.so', 'counter'], [$found[0]['object'], $found[0]['extension']]);
        self::assertSame(['counter', 1], [$found[0]['symbol'], $found[0]['words']]);
        self::assertSame('GET /page?do=counter&n=0', $found[0]['request']);
        self::assertContains($found[0]['moment'], ['middle', 'end']);
        self::assertGreaterThanOrEqual(self::REQUESTS, $found[0]['seen']);
        self::assertStringEndsWith('extension.php', $found[0]['script']);
    }

    /** No word of a library's own memory changes with it. */
    public function testWhatALibraryAnswersIsFoundWhereARequestHasChangedItForAll(): void
    {
        $options = ['--ini=ffi.enable=1', '--requests=3', '--at-once=3', '--quiet'];
        [$own, $nothing] = self::audit('answers.php', [...$options, '--query=by=pragma']);
        [$run, $report] = self::audit('answers.php', [...$options, '--query=by=function']);

        self::assertSame([0, []], [$own->exit, self::unexplained($nothing)], $own->err);
        self::assertSame(3, $run->exit, $run->err);
        $found = self::unexplained($report);
        self::assertSame(['soft_heap_limit'], array_column($found, 'symbol'));
        self::assertSame(['libsqlite3.so', 'GET /?by=function'], [$found[0]['object'], $found[0]['request']]);
    }

    #[TestWith(['counter', 'counter'], 'counter')]
    #[TestWith(['exported', 'exported_counter'], 'exported')]
    public function testAnExtensionWithAVariableOfItsOwnIsRefusedWhereRequestsRunAtOnce(string $name, string $variable): void
    {
        $run = Runner::run('extension.php', self::with($name));

        self::assertSame(1, $run->exit);
        self::assertSame('', $run->out);
        $named = "extension {$name} 1.0 ({$name}.so)";
        $parts = [$named, ": {$variable} (.bss+", '--concurrency=1', "--shared-extension={$name}"];
        foreach ($parts as $part) {
            self::assertStringContainsString($part, $run->err);
        }
    }

    public function testAnExtensionWithGlobalsThatOnlyItsSettingsKnowIsRefused(): void
    {
        $run = Runner::run('extension.php', self::with('setting'));

        self::assertSame(1, $run->exit);
        self::assertStringContainsString('setting.limit', $run->err);
    }

    public function testAThreadLocalVariableIsNoHidingPlace(): void
    {
        $run = Runner::run('extension.php', self::with('local'));
        [$alone, $report] = self::audit('extension.php', [...self::with('local'), '--realms=1']);

        self::assertSame([1, 3], [$run->exit, $alone->exit], $run->err . $alone->err);
        self::assertStringContainsString(': calls (.tbss+', $run->err);
        self::assertSame(['calls'], array_column(self::unexplained($report), 'symbol'));
    }

    public function testItIsServedOneRequestAtATime(): void
    {
        $run = Runner::run('extension.php', [...self::with('counter'), '--realms=1']);

        self::assertSame(0, $run->exit, $run->err);
        // Each request counts twice; another one in between would make some of them odd.
        $even = array_map(strval(...), range(2, 2 * self::REQUESTS, 2));
        self::assertSame($even, explode("\n", trim($run->out)));
        self::assertStringContainsString('one request at a time per worker, in all pools', $run->err);
        self::assertStringContainsString('because of the PHP extension counter', $run->err);
    }

    public function testItIsServedAtOnceWhereItIsListed(): void
    {
        [$run, $report] = self::audit('extension.php', [...self::with('counter'), '--shared-extension=counter']);

        self::assertSame(0, $run->exit, $run->err);
        self::assertNotSame(range(2, 2 * self::REQUESTS, 2), array_map(intval(...), explode("\n", trim($run->out))));
        self::assertStringNotContainsString('[warning]', $run->err);
        self::assertContains('the user says so', array_column($report['findings'], 'reason'));
    }

    public function testACleanExtensionThatNobodyKnowsIsServedAtOnce(): void
    {
        [$run, $report] = self::audit('extension.php', [...self::with('clean'), '--chaos=7']);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(array_fill(0, self::REQUESTS, 'own'), explode("\n", trim($run->out)));
        self::assertDoesNotMatchRegularExpression('/\[(error|warning)\]/', $run->err);
        self::assertSame('unknown-clean', array_column($report['extensions'], 'verdict', 'name')['clean'] ?? '');
    }

    /**
     * While PHP starts it looks like a class entry; the first change closes the server.
     */
    public function testTheWatchSeesAStaticThatWasInitialisedAtStartAndEndsTheOverlap(): void
    {
        $run = Runner::run('extension.php', self::with('made'));

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame(array_fill(0, self::REQUESTS, '1'), explode("\n", trim($run->out)), 'requests went on at once');
        self::assertSame(1, substr_count($run->err, 'has changed memory that it does not register'), $run->err);
        self::assertStringContainsString('in_flight (.bss+', $run->err);
        self::assertStringContainsString('From now on each worker takes one request at a time', $run->err);
        // Without the watch they do run at once: the test would notice.
        $listed = Runner::run('extension.php', [...self::with('made'), '--shared-extension=made']);
        self::assertGreaterThan(4, max(array_map(intval(...), explode("\n", trim($listed->out)))));
    }

    public function testWorkerModeGoesOnOneRequestAtATime(): void
    {
        $run = Runner::run('extension-worker.php', [...self::with('made'), '--mode=worker', '--warm=4']);

        self::assertSame(0, $run->exit, $run->err);
        self::assertStringContainsString('From now on each worker takes one request at a time', $run->err);
        self::assertSame(array_fill(0, self::REQUESTS, '1'), explode("\n", trim($run->out)));
    }

    /**
     * What the evidence would say of extensions that are known to be clean: hardly one may be refused for nothing.
     */
    public function testTheEvidenceAcceptsExtensionsThatAreClean(): void
    {
        $run = Runner::run('extension.php', ['--extensions', '--know-none']);
        /** @var array{extensions: list<Extension>} $report */
        $report = json_decode($run->out, true, flags: JSON_THROW_ON_ERROR);
        $verdicts = array_column($report['extensions'], 'verdict', 'name');

        self::assertSame(1, $run->exit);
        $clean = ['curl', 'calendar', 'ctype', 'pdo_pgsql', 'mysqlnd', 'mysqli', 'pgsql', 'posix', 'tokenizer'];
        foreach ($clean as $name) {
            self::assertSame('unknown-clean', $verdicts[$name] ?? 'unknown-clean', "{$name} would be refused");
        }
        self::assertSame('refused', $verdicts['Zend OPcache'], 'its statics were not seen');
    }

    public function testEveryExtensionOfThisMachineIsKnown(): void
    {
        $run = Runner::run('extension.php', ['--extensions']);
        /** @var array{extensions: list<Extension>} $report */
        $report = json_decode($run->out, true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(0, $run->exit, $run->out);
        self::assertSame(['known'], array_values(array_unique(array_column($report['extensions'], 'verdict'))), $run->out);
    }

    public function testWithoutTheAuditNothingIsSaidOrWritten(): void
    {
        $run = Runner::run('extension.php', [...self::with('clean')]);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame('', $run->err);
    }

    /** @return list<string> */
    private static function with(string $extension): array
    {
        return [
            '--ini=extension=' . realpath(__DIR__ . "/../../build/extension/{$extension}.so"),
            '--at-once=16',
            '--requests=' . self::REQUESTS,
            "--query=do={$extension}&n=%d",
        ];
    }

    /**
     * @param  list<string> $options
     * @return array{Runner, Report}
     */
    private static function audit(string $script, array $options): array
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'howdah-audit');
        $run = Runner::run($script, [...$options, "--audit={$file}"]);
        $json = (string) file_get_contents($file);
        unlink($file);
        /** @var Report $report */
        $report = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        self::assertTrue($report['complete'], $run->err);

        return [$run, $report];
    }

    /**
     * @param  Report $report
     * @return list<Finding>
     */
    private static function unexplained(array $report): array
    {
        $found = array_filter($report['findings'], static fn (array $one): bool => $one['verdict'] === 'unexplained');
        self::assertSame(array_sum(array_column($found, 'words')), $report['unexplained_words']);

        return array_values($found);
    }
}
