<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** `howdah top` says where a request in flight has waited before. */
#[Group('realms')]
final class TopWaitedTest extends TopTestCase
{
    #[DataProvider('modes')]
    public function test_it_tells_where_a_request_has_waited_where_the_slow_log_watches_it(string $mode): void
    {
        $this->serve($mode, 'howdah_slow 1h;');
        $fifo = "{$this->folder}/fifo";
        self::assertTrue(posix_mkfifo($fifo, 0600));
        $asked = (new Http1($this->port))->get("/late-open?n=3&file=$fifo");
        Clock::await(static fn (): bool => file_exists("$fifo is next"), 'it has slept');
        [$one] = $this->requests();
        self::assertIsArray($one['waited']);
        $slept = array_column($one['waited'], null, 'for')['sleep'] ?? null;
        self::assertIsArray($slept);
        self::assertSame([3, null], [$slept['count'], $slept['subject']]);
        self::assertIsNumeric($slept['seconds']);
        self::assertIsNumeric($slept['longest_seconds']);
        Clock::assertAtLeast(0.02, (float) $slept['longest_seconds'], 'one of them');
        Clock::assertAtLeast(0.06, (float) $slept['seconds'], 'all of them');
        self::assertSame('usleep', is_array($slept['at']) ? $slept['at']['function'] : null);
        $line = '~^    waited \d+\.\d{3} s for the end of its sleep, 3 times, \d+\.\d{3} s at most, at usleep\(\) /\S+:\d+$~m';
        self::assertMatchesRegularExpression($line, $this->whole('--stack'));
        $reads = fopen($fifo, 'r');
        self::assertSame('opened', $asked->read()?->body);
        unset($reads);
    }
}
