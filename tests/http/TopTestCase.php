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

    /** The one whose URI begins so. */
    protected function nameOf(string $uri): string
    {
        return Clock::await(function () use ($uri): ?string {
            foreach ($this->requests() as $each) {
                if (is_string($each['uri']) && str_starts_with($each['uri'], $uri)) {
                    self::assertIsInt($each['worker']);
                    self::assertIsInt($each['request']);

                    return "{$each['worker']}-{$each['request']}";
                }
            }

            return null;
        }, "$uri is there");
    }

    protected function end(string $name): Howdah
    {
        return Howdah::run(['top', "--end=$name", "--pid={$this->master()}"]);
    }

    /** A machine that is busy may take longer than `howdah top` waits: then the order stands. */
    protected function assertEnds(string $name, string $says): void
    {
        Clock::await(function () use ($name, $says): bool {
            $howdah = $this->end($name);
            $unheard = str_contains($howdah->errors, 'cannot be ended yet');
            self::assertTrue($unheard || str_contains($howdah->output, $says), $howdah->output . $howdah->errors);

            return !$unheard;
        }, 'its worker hears of it');
    }
}
