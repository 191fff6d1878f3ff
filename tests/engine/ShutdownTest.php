<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** An extension that fails while a request ends takes nobody along. What PHP code does there: tests/http/EndOfRequestTest.php. */
final class ShutdownTest extends TestCase
{
    private const EXTENSION = __DIR__ . '/../../build/extension/ending.so';

    #[TestWith(['classic'], 'classic')]
    #[TestWith(['worker'], 'worker')]
    public function testAnExtensionThatFailsAtARequestsEndTakesNobodyAlong(string $mode): void
    {
        $path = (string) realpath(self::EXTENSION);
        $options = ["--mode={$mode}", '--requests=60', '--at-once=6', '--query=n=%d', '--shared-extension=ending'];
        $run = Runner::run('ending.php', $options, extensions: [$path]);

        self::assertSame(0, $run->exit, $run->err);
        self::assertSame([40, 20], [substr_count($run->out, 'neighbour '), substr_count($run->out, 'victim ')], $run->err);
        $failed = static fn (string $step): int => substr_count($run->err, "failed on purpose: {$step}");
        $steps = ['resource', 'object', 'end', 'after'];
        self::assertSame([8, 8, 4, 4], array_map($failed, $steps), 'each resource and each object is asked: ' . $run->err);
        self::assertStringNotContainsString('between two steps', $run->err);
    }

    /** PHP would close the filter again, which ended with its request. The same is forgotten where classic mode's requests end. */
    public function testAFilterOfASocketThatOutlivesItsRequestIsForgotten(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1);
        $options = ['--mode=worker', '--rewind', '--realms=1', '--requests=6', "--query=port={$port}&i=%d"];
        $run = Runner::run('filtered.php', $options, extensions: []);

        self::assertSame([0, str_repeat("5\n", 6)], [$run->exit, $run->out], $run->err);
    }
}
