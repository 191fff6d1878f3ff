<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;

/** Asks `howdah top` of an nginx with two realms and the application of tests/http/pool. */
abstract class TopTestCase extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/pool';

    protected static function options(string $mode): array
    {
        return [...parent::options($mode), '--concurrency=2', '--no-access-log', '--ini=ffi.enable=1'];
    }

    protected function top(string ...$options): Howdah
    {
        return Howdah::run(['top', '--once', "--pid={$this->master()}", ...array_values($options)]);
    }

    /** As soon as all workers have answered: on a busy machine that may take one more than a second. */
    protected function whole(string ...$options): string
    {
        return Clock::await(function () use ($options): ?string {
            $howdah = $this->top(...$options);
            self::assertSame('', $howdah->errors);

            return $howdah->status === 0 ? $howdah->output : null;
        }, 'all workers answer');
    }

    /** @return list<array<array-key, mixed>> what is told of each request */
    protected function requests(): array
    {
        return self::of($this->whole('--json'), 'requests');
    }

    /** @return list<array<array-key, mixed>> */
    protected static function of(string $json, string $member): array
    {
        $told = json_decode($json, true);
        self::assertIsArray($told, $json);
        self::assertIsArray($told[$member] ?? null, $json);

        return array_values(array_filter($told[$member], is_array(...)));
    }

    /** @return list<mixed> sorted */
    protected function column(string $name): array
    {
        $values = array_column($this->requests(), $name);
        sort($values);

        return $values;
    }

    /** @param list<string> $states of all requests, sorted */
    protected function awaitStates(array $states): void
    {
        $are = fn (): bool => $this->column('state') === $states;
        Clock::await($are, fn (): string => implode(', ', $states) . ", and not: {$this->whole()}");
    }
}
