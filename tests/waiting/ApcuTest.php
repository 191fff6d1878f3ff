<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** apcu_entry() computes a value while it has the cache's lock: nobody else computes, in no process. */
final class ApcuTest extends LockTestCase
{
    /** @return list<string> */
    protected static function options(string $mode): array
    {
        return [...parent::options($mode), ...Extensions::options('--ini=')];
    }

    #[DataProvider('modes')]
    public function test_all_get_the_value_that_one_of_them_computed(string $mode): void
    {
        $server = $this->ownServer($mode, '--workers=2');
        $answers = self::askBoth($server, array_fill(0, 6, self::uri('entry', self::freshName(), 0.3)));

        self::assertCount(1, array_unique(array_column($answers, 'value'), SORT_REGULAR));
    }

    #[DataProvider('modes')]
    public function test_others_work_while_a_value_is_computed(string $mode): void
    {
        $entry = self::uri('entry', self::freshName(), 0.2);
        $others = array_fill(0, 6, self::uri('sleep', '', 0.1));
        $answers = self::ask($this->server($mode), [$entry, ...$others, $entry, ...$others]);

        self::assertSame($answers[0]['value'], $answers[7]['value']);
        self::assertCount(12, array_column($answers, 'slept'));
    }

    #[DataProvider('endsInModes')]
    public function test_the_lock_of_a_computation_that_ends_early_is_free(string $mode, string $way): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::sendAndAwait($server, self::uri('entry', $name, 0, ['end' => $way, 'until' => "$name-go"]));
        $second = self::sendAndAwait($server, self::uri('entry', $name));
        self::release("$name-go");

        self::assertIsString(self::receive($second)['value']);
        fclose($first);
    }

    #[DataProvider('modes')]
    public function test_the_lock_of_a_client_that_goes_is_free(string $mode): void
    {
        $name = self::freshName();
        $server = $this->server($mode);
        $first = self::sendAndAwait($server, self::uri('entry', $name, 0, ['until' => "$name-go"]));
        $second = self::sendAndAwait($server, self::uri('entry', $name));
        fclose($first);

        self::assertIsString(self::receive($second)['value']);
    }
}
