<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** Times that do not fit into 32 bits of milliseconds. */
final class LongTimeTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    /** 49.7 days and 100 ms. */
    private const LONG = '4294967396ms';

    public function test_fifty_days_are_no_moment(): void
    {
        $times = 'howdah_request_timeout ' . self::LONG . '; howdah_queue_timeout ' . self::LONG . '; howdah_concurrency 1;';
        $client = $this->serve('classic', '', ['howdah_concurrency 16;' => $times]);

        $answers = $client->all(['/sleep?ms=500', '/sleep?ms=500']);

        self::assertSame([200, 200], [$answers[0]->status, $answers[1]->status], $this->log());
    }

    /** Longer than any clock runs. */
    public function test_the_longest_time_that_nginx_reads_is_for_ever(): void
    {
        $times = '';
        foreach (['slice', 'request_timeout', 'queue_timeout', 'idle_timeout'] as $name) {
            $times .= "howdah_$name " . PHP_INT_MAX . 'ms; ';
        }
        $client = $this->serve('worker', '', ['howdah_concurrency 16;' => "$times howdah_concurrency 1;"]);

        $answers = $client->all(['/sleep?ms=200', '/sleep?ms=200']);

        self::assertSame([200, 200], [$answers[0]->status, $answers[1]->status], $this->log());
    }
}
