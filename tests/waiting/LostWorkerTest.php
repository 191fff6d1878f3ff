<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\Tests\Late;
use PHPUnit\Framework\AssertionFailedError;

/** A worker that crashes takes requests of others with it: tests that wait for those would be late, and be tried again. */
final class LostWorkerTest extends WaitingTestCase
{
    public function test_what_is_late_where_a_worker_has_crashed_is_wrong(): void
    {
        $server = $this->ownServer('classic');
        posix_kill($server->workers()[0], SIGSEGV);
        $this->awaitLine($server, 'exited on signal 11');

        $told = [];
        foreach ([fn () => $this->tearDown(), fn () => $this->onNotSuccessfulTest(new Late('its answer'))] as $end) {
            try {
                $end();
            } catch (AssertionFailedError $failed) {
                $told[] = [$failed instanceof Late, str_contains($failed->getMessage(), 'exited on signal 11')];
            }
        }

        self::assertSame([[false, true], [false, true]], $told);
    }
}
