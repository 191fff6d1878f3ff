<?php

/**
 * The answer in the making, beyond what RequestChecks sets once: headers that come and go, output handlers, rewritten links.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class ResponseChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'headers' => $this->headers(),
            'output handler' => $this->handler(),
            'connection' => $this->connection(),
        ];
    }

    /** @return Check */
    private function headers(): Generator
    {
        header("X-Howdah-Step: {$this->probe->mark('first')}");
        header("X-Howdah-Step: {$this->probe->mark('second')}", false);
        $expected = ["X-Howdah-Step: {$this->probe->mark('first')}", "X-Howdah-Step: {$this->probe->mark('second')}"];
        yield static fn (): array => [
            'list' => [$expected, array_values(preg_grep('/^X-Howdah-Step/', headers_list()) ?: [])],
            'sent' => [false, headers_sent()],
        ];
        header("X-Howdah-Step: {$this->probe->mark('third')}");
        $own = array_values(preg_grep('/^X-Howdah-Step/', headers_list()) ?: []);
        header_remove('X-Howdah-Step');
        yield fn (): array => [
            'replaced' => [["X-Howdah-Step: {$this->probe->mark('third')}"], $own],
            'removed' => [[], preg_grep('/^X-Howdah-Step/', headers_list())],
        ];
    }

    /** @return Check */
    private function handler(): Generator
    {
        $mark = $this->probe->mark('handled');
        yield function () use ($mark): array {
            $seen = [];
            ob_start();
            ob_start(function (string $text, int $phase) use (&$seen): string {
                $this->probe->pause();
                $seen[] = $text;

                return "[{$text}]";
            }, 8);
            $level = ob_get_level();
            printf('%s', "{$mark},");
            $this->probe->pause();
            print "{$mark};";
            $same = ob_get_level();
            ob_end_flush();
            $text = ob_get_clean();

            return [
                'level' => [$level, $same],
                'seen' => [["{$mark},", "{$mark};", ''], $seen],
                'text' => ["[{$mark},][{$mark};][]", $text],
            ];
        };
    }

    /** @return Check */
    private function connection(): Generator
    {
        $method = $_SERVER['REQUEST_METHOD'] ?? null;
        yield fn (): array => [
            'status' => [CONNECTION_NORMAL, connection_status()],
            'aborted' => [0, connection_aborted()],
            'method' => [$method, $_SERVER['REQUEST_METHOD'] ?? null],
        ];
    }
}
