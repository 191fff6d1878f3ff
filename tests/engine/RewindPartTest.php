<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * Each part of a rewind but one, left out, is noticed by what RewindTest looks at; pages that the kernel has not told of are
 * as they were.
 */
#[Group('rewind')]
final class RewindPartTest extends TestCase
{
    private const ONE_REALM = ['--mode=worker', '--rewind', '--realms=1', '--ini=display_errors=1', '--memory'];

    private const EXTENSIONS = ['mbstring', 'dom', 'simplexml', 'intl', 'pdo', 'pdo_sqlite', 'curl'];

    /**
     * And what a request leaves behind that tells of it. Not the map of what is private to a realm of code that is shared:
     * without it PHP reads places that hold what they held, or do not, by chance. No answer tells of that each time.
     */
    private const PARTS = [
        'resources' => 'descriptors', 'settings' => 'intl', 'modules' => 'xml', 'heap' => 'static', 'blocks' => 'static',
        'tables' => 'class', 'process' => 'umask',
    ];

    /** @return iterable<string, array{string, string}> */
    public static function parts(): iterable
    {
        foreach (self::PARTS as $part => $kind) {
            yield $part => [$part, $kind];
        }
    }

    #[DataProvider('parts')]
    public function testAPartThatIsLeftOutIsNoticed(string $part, string $kind): void
    {
        self::assertFalse(self::isClean(self::of($kind, ["--rewind-without={$part}"])));
    }

    /** No answer tells of it each time (above): the rule does that all of it is as it was. */
    public function testAMapThatIsLeftOutBreaksARule(): void
    {
        $run = self::of('class', ['--rewind-without=map']);
        self::assertNotSame(0, $run->exit);
        self::assertStringContainsString('a realm was put back, and is not as it was', $run->err);
    }

    public function testWithoutDestructorsTheyDoNotRunForEachRequest(): void
    {
        $told = 'destructor of what is kept';
        self::assertSame(4, substr_count(self::of('object')->err, $told));
        self::assertLessThan(4, substr_count(self::of('object', ['--rewind-without=destructors'])->err, $told));
    }

    /** What libraries have allocated for objects that live when the request ends. */
    public function testWithoutTheEndOfObjectsTheMemoryOfLibrariesIsLost(): void
    {
        self::assertGreaterThan(self::grown('xml') + 1024, self::grown('xml', '--rewind-without=objects'), 'KB');
    }

    private static function grown(string $kind, string ...$options): int
    {
        $run = self::of($kind, ['--requests=600', '--quiet', ...array_values($options)]);

        return $run->figure('late') - $run->figure('early');
    }

    public function testAPartThatThereIsNotIsRefused(): void
    {
        $run = self::of('static', ['--rewind-without=heap', '--rewind-without=head']);
        self::assertNotSame(0, $run->exit);
        self::assertStringContainsString('with the name "head"', $run->err);
    }

    /** @return iterable<string, array{list<string>}> */
    public static function waysToFindThem(): iterable
    {
        yield 'the kernel tells, where it can' => [[]];
        yield 'each is compared' => [['--rewind-without=written']];
    }

    /**
     * Pages become hot and cold again; HOWDAH_CHECKS compares all of them after each rewind.
     *
     * @param list<string> $options
     */
    #[DataProvider('waysToFindThem')]
    public function testAllThatWasWrittenToIsPutBackOfALargeApplication(array $options): void
    {
        $options = [...self::ONE_REALM, '--requests=300', '--query=i=%d', ...$options];
        $run = Runner::run('rewind-large.php', $options, environment: ['HOWDAH_CHECKS' => '1'], extensions: []);
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertSame(300, preg_match_all('/^[0-9a-f]{32} \d+$/m', $run->out, $found), $run->out . $run->err);
        self::assertCount(1, array_unique($found[0]));
    }

    private static function isClean(Runner $run): bool
    {
        preg_match_all('/^\{.*\}$/m', $run->out, $found);

        return $run->exit === 0 && count($found[0]) === 4 && count(array_unique($found[0])) === 1;
    }

    /** @param list<string> $options */
    private static function of(string $kind, array $options = []): Runner
    {
        $all = [...self::ONE_REALM, '--requests=4', ...$options, "--query=do={$kind}"];

        return Runner::run('rewind.php', $all, extensions: self::EXTENSIONS);
    }
}
