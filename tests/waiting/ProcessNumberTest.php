<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** What docs/isolation.md says of getmypid(): the worker's for all of its requests, and what keeps them apart instead. */
final class ProcessNumberTest extends LockTestCase
{
    #[DataProvider('modes')]
    public function test_two_requests_have_one_number_and_what_is_to_be_used_instead_keeps_them_apart(string $mode): void
    {
        $name = self::freshName();
        $uri = self::uri('number', $name);
        $server = $this->server($mode);
        $worker = $server->workers()[0];
        $held = self::sendAndAwait($server, "$uri&until=$name-go");
        [$beside] = self::ask($server, [$uri]);
        self::release("$name-go");
        $first = self::receive($held);
        [$after] = self::ask($server, [$uri]);

        foreach ([$first, $beside, $after] as $told) {
            self::assertSame([$worker, $worker], [$told['pid'], $told['posix']]);
        }
        // A lock file with a number in it is everybody's.
        self::assertSame([true, true], [$first['mine'], $beside['mine']]);
        self::assertSame([true, false, true], [$first['locked'], $beside['locked'], $after['locked']]);
        foreach (['tempnam', 'random'] as $kind) {
            $names = array_filter([$first[$kind], $beside[$kind], $after[$kind]], is_string(...));
            self::assertCount(3, array_unique($names), $kind);
        }
        self::assertNotSame($first['realm'], $beside['realm']);
    }
}
