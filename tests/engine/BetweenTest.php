<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** What a worker-mode request leaves for the next one of its realm: docs/between-requests.md says it of each extension, and it is so. */
final class BetweenTest extends TestCase
{
    private const PAGE = __DIR__ . '/../../docs/between-requests.md';

    private const PROBES = __DIR__ . '/../isolation/between.php';

    /** Where a machine has them, they are not loaded by themselves (packaging/deps). */
    private const ON_DEMAND = ['apcu', 'gmp', 'imagick', 'imap', 'ldap', 'odbc', 'pdo_dblib', 'soap', 'tidy'];

    public function testTheTableHasEachExtensionThatActsWhenARequestBeginsOrEnds(): void
    {
        $run = Runner::run('echo.php', ['--extensions', ...self::extensions()]);
        $told = json_decode($run->out, true);
        self::assertIsArray($told, $run->err);
        self::assertIsArray($told['extensions']);
        $acts = array_column($told['extensions'], 'at_requests', 'name');
        $act = array_keys($acts, 'yes', true);
        self::assertGreaterThan(15, count($act));
        $rows = array_unique(array_column(self::table(), 'extension'));

        $missing = array_udiff($act, $rows, strcasecmp(...));
        self::assertSame([], array_values($missing), 'what of it is reset, and what stays?');

        // What nobody loads nobody compares with the table. Debian's libphp has no pcntl, and Debian 13 no package of imap.
        $absent = PHP_VERSION_ID < 80400 ? ['pcntl'] : ['pcntl', 'imap'];
        if (PHP_VERSION_ID < 80500) {
            $absent[] = 'uri';
        }
        $unseen = array_udiff($rows, [...array_keys($acts), ...$absent], strcasecmp(...));
        self::assertSame([], array_values($unseen), 'it is not loaded');
    }

    public function testEachProbeFindsWhatTheTableSays(): void
    {
        $decisions = array_column(self::table(), 'decision', 'probe');
        unset($decisions['']);
        $classic = self::ask($decisions, 'classic');
        $worker = self::ask($decisions, 'worker');

        $wrong = [];
        foreach ($decisions as $probe => $decision) {
            [$fresh, $seen] = [$classic[$probe] ?? 'no answer', $worker[$probe] ?? 'no answer'];
            if ($fresh !== serialize('absent') && ($decision === 'reset') !== ($fresh === $seen)) {
                $wrong[] = "$probe: classic mode finds $fresh, worker mode $seen; the table says that it is: $decision";
            }
        }
        self::assertSame([], $wrong);
    }

    /** Whatever the table says: with rewind it is as in classic mode. */
    #[Group('rewind')]
    public function testWithRewindEachProbeFindsWhatClassicModeFinds(): void
    {
        $probes = array_column(self::table(), 'decision', 'probe');
        unset($probes['']);

        self::assertSame(self::ask($probes, 'classic'), self::ask($probes, 'worker', '--rewind'));
    }

    public function testTheRewritersTextsDoNotPileUp(): void
    {
        $options = ['--mode=worker', '--realms=1', '--at-once=1', '--requests=600', '--query=n=%d'];
        $run = Runner::run('rewriter-worker.php', $options, extensions: []);
        self::assertSame(0, $run->exit, $run->err);
        $bytes = array_map(intval(...), explode("\n", trim($run->out)));
        self::assertCount(600, $bytes, $run->out);

        // 1 KB for each request would be 300 KB.
        self::assertLessThan(32 * 1024, $bytes[599] - $bytes[299]);
    }

    /**
     * What the second request of each pair found.
     *
     * @param  array<array-key, string> $probes
     * @return array<string, string>
     */
    private static function ask(array $probes, string $mode, string ...$more): array
    {
        $settings = [
            'session.use_trans_sid=1', 'session.use_only_cookies=0', 'session.use_cookies=0',
            'session.save_path=' . sys_get_temp_dir(), 'html_errors=0', 'display_errors=1',
            'apc.use_request_time=1', 'opcache.file_update_protection=0',
        ];
        $options = ["--mode=$mode", '--realms=1', '--at-once=1', '--requests=' . (2 * count($probes) + 1), '--query=n=%d'];
        $ini = array_map(static fn (string $setting): string => "--ini=$setting", $settings);
        $run = Runner::run(self::PROBES, [...$options, ...array_values($more), ...$ini, ...self::extensions()]);
        self::assertSame(0, $run->exit, $run->err);
        preg_match_all('/^([a-z-]+): (.*)$/m', $run->out, $lines, PREG_SET_ORDER);
        self::assertCount(2 * count($probes), $lines, $run->out . $run->err);
        $names = json_decode(substr($run->out, (int) strrpos($run->out, "\n")), true);
        self::assertEqualsCanonicalizing(array_keys($probes), $names, 'the table has other probes');

        // Of each pair the second one.
        return array_column($lines, 2, 1);
    }

    /** @return list<string> */
    private static function extensions(): array
    {
        $there = array_filter(
            self::ON_DEMAND,
            static fn (string $name): bool => !extension_loaded($name) && is_file(PHP_EXTENSION_DIR . "/$name.so"),
        );

        return array_values(array_map(static fn (string $name): string => "--ini=extension=$name", $there));
    }

    /** @return list<array{extension: string, decision: string, probe: string}> */
    private static function table(): array
    {
        $rows = [];
        $row = '/^\| ([\w ]+?) \| .+? \| (\w+) \| (?:`([a-z-]+)`)? ?\| .*\|$/m';
        preg_match_all($row, (string) file_get_contents(self::PAGE), $lines, PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL);
        foreach ($lines as [, $extension, $decision, $probe]) {
            self::assertContains($decision, ['reset', 'stays'], (string) $extension);
            $rows[] = ['extension' => (string) $extension, 'decision' => (string) $decision, 'probe' => $probe ?? ''];
        }
        self::assertGreaterThan(50, count($rows));

        return $rows;
    }
}
