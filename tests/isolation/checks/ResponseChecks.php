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
            'embedded data' => $this->embedded(),
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

    /**
     * iptcembed() prints a picture byte by byte.
     *
     * @return Check
     */
    private function embedded(): Generator
    {
        $data = str_repeat('i', 2 * (1 + $this->probe->number('data', 1000)));
        $file = sys_get_temp_dir() . "/howdah-{$this->probe->mark('picture')}." . getmypid();
        // The start, what stands before the data, the beginning of the picture itself.
        file_put_contents($file, "\xff\xd8\xff\xe0\0\4ab\xff\xda");
        yield function () use ($data, $file): array {
            $printed = '';
            ob_start();
            ob_start(function (string $text) use (&$printed): string {
                // Between the length's being noted and its being printed.
                strlen($printed) === 10 && $this->probe->pause();
                $printed .= $text;

                return '';
            }, 1);
            iptcembed($data, $file, 2);
            ob_end_flush();
            ob_end_clean();
            $at = strpos($printed, 'Photoshop 3.0') ?: 2;

            return [
                'length' => [strlen($data) + 28, unpack('n', substr($printed, $at - 2, 2))[1] ?? null],
                'data' => [true, str_contains($printed, "{$data}\xff\xda")],
            ];
        };
        unlink($file);
    }
}
