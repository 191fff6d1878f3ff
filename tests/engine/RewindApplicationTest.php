<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * What an application sees of rewind: nothing that a request has left, no number twice, and connections that outlive a request
 * as in a php-fpm child.
 */
#[Group('rewind')]
final class RewindApplicationTest extends TestCase
{
    private const WORKER = ['--mode=worker', '--realms=1', '--memory', '--ini=memory_limit=1G'];

    private const DRAWS = 200;

    public function testAProviderThatLeaksAnswersTheLastRequestAsTheFirst(): void
    {
        $run = Runner::run('rewind-leak.php', [...self::WORKER, '--rewind', '--requests=1000'], extensions: []);
        self::assertSame(1, $run->figure('births'), $run->err);
        $answers = self::lines($run);
        self::assertCount(1000, $answers, $run->err);
        self::assertSame([$answers[0]], array_values(array_unique($answers)));
        self::assertStringStartsWith('0 0 0 0 application en runs UTC ', $answers[0]);
        $without = self::lines(Runner::run('rewind-leak.php', [...self::WORKER, '--requests=30'], extensions: []));
        self::assertCount(30, array_unique($without), 'without rewind each request sees what the others have left');
    }

    /** README.md shows it. */
    public function testALaravelApplicationWhoseProviderLeaksAnswersTheLastRequestAsTheFirst(): void
    {
        self::setUpLaravel();
        $options = [...self::WORKER, '--path=/leaks'];
        $run = Runner::run('rewind-laravel.php', [...$options, '--rewind', '--requests=1000']);
        self::assertSame(1, $run->figure('births'), $run->err);
        self::assertSame(['0 0 Howdah en runs 0 UTC' => 1000], array_count_values(self::lines($run)), $run->err);
        $without = self::lines(Runner::run('rewind-laravel.php', [...$options, '--requests=3']));
        self::assertSame(['0 0 Howdah en runs 0 UTC', '1 1 Howdah! de stands 1 Asia/Tokyo'], array_slice($without, 0, 2));
    }

    private static function setUpLaravel(): void
    {
        exec(escapeshellarg(__DIR__ . '/../../examples/laravel/bin/setup') . ' 2>&1', $said, $status);
        self::assertSame(0, $status, implode("\n", $said));
    }

    /** Each request leaves a megabyte, and more in lists and cycles. */
    public function testRequestsThatLeakAMegabyteEndWithFlatMemory(): void
    {
        $options = [...self::WORKER, '--rewind', '--quiet', '--requests=' . (getenv('HOWDAH_LONG') ? 100_000 : 500)];
        $run = Runner::run('rewind-leak.php', $options, extensions: []);
        self::assertSame(1, $run->figure('births'), $run->err);
        // The JIT's own memory is the process's, and is there when it has compiled first.
        $most = getenv('HOWDAH_JIT') ? 1024 : 512;
        self::assertLessThan($most, $run->figure('late') - $run->figure('early'), 'KB');
    }

    public function testNoTwoRequestsDrawTheSameOfPhpOrOfLibraries(): void
    {
        self::setUpLaravel();
        $options = ['--realms=3', '--warm=3', '--at-once=3', '--rewind', '--requests=' . self::DRAWS];
        $run = Runner::run('rewind-unique.php', [...self::WORKER, ...$options]);
        self::assertSame(3, $run->figure('births'), $run->err);
        $draws = [];
        preg_match_all('/^(.+)\t(.+)$/m', $run->out, $lines, PREG_SET_ORDER);
        foreach ($lines as [, $what, $value]) {
            $draws[$what][] = $value;
        }
        self::assertCount(28, $draws, $run->out . $run->err);
        // Its state is the application's, which each request finds as it had booted (docs/rewind.md).
        self::assertLessThanOrEqual(3, count(array_unique($draws['kept'])), 'one for each realm: sameness is noticed');
        unset($draws['kept']);
        foreach ($draws as $what => $values) {
            self::assertCount(self::DRAWS, $values, $what);
            self::assertCount(self::DRAWS, array_unique($values), $what);
        }
    }

    /** The client's side and the server's agree: one connection, in which each request has said its own. */
    public function testPersistentConnectionsSurvive(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1);
        $file = (string) tempnam(sys_get_temp_dir(), 'howdah-rewind');
        try {
            $options = [...self::WORKER, '--rewind', '--requests=5', "--query=port={$port}&file={$file}&i=%d"];
            $run = Runner::run('rewind-survivors.php', $options, extensions: ['pdo', 'pdo_sqlite']);
        } finally {
            unlink($file);
        }
        self::assertSame(1, $run->figure('births'), $run->err);
        $lines = self::lines($run);
        self::assertCount(5, $lines, $run->out . $run->err);
        $addresses = array_map(static fn (string $line): string => (string) strstr($line, ' ', true), $lines);
        self::assertCount(1, array_unique($addresses));
        self::assertSame(['1', '2', '3', '4', '5'], array_map(static fn (string $line): string => substr($line, -1), $lines));
        $connection = stream_socket_accept($server, 5);
        self::assertIsResource($connection);
        self::assertSame(5, preg_match_all('/^request \d$/m', (string) stream_get_contents($connection)));
        self::assertFalse(@stream_socket_accept($server, 0), 'there was a second connection');
    }

    /** @return list<string> all but what --memory prints */
    private static function lines(Runner $run): array
    {
        $lines = explode("\n", rtrim($run->out));
        array_pop($lines);

        return array_values(array_filter($lines, static fn (string $line): bool => $line !== ''));
    }
}
