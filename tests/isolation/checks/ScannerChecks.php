<?php

/**
 * What scanners and parsers keep while PHP code runs in the middle of their work: an output handler that gets highlighted code
 * token by token, an error handler that is told of a mistake in a setting.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class ScannerChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'highlight' => $this->highlight(),
            'eval' => $this->evaluate(),
            'parse_ini' => $this->parseIni(),
            'ticks' => $this->ticks(),
        ];
    }

    /** @return Check */
    private function highlight(): Generator
    {
        $code = "<?php\n/* {$this->probe->mark('comment')} */ \$a = \"{$this->probe->mark('text')} {\$b}\";"
            . "\n\$c = <<<X\n {\$d['e']} {$this->probe->mark('here')}\n X;\n?>html<?= 1 ?>";
        $expected = highlight_string($code, true);
        yield function () use ($code, $expected): array {
            $seen = '';
            ob_start(function (string $part) use (&$seen): string {
                $this->probe->pause();
                $seen .= $part;

                return '';
            }, 1);
            highlight_string($code);
            ob_end_flush();
            // The callback writes through its reference.
            /** @var string $seen */
            return ['highlighted' => [$expected, $seen]];
        };
    }

    /** @return Check */
    private function evaluate(): Generator
    {
        $mark = $this->probe->mark('eval');
        $code = "return static function (\$a = 1, \$b) { \$x = '{$mark}'; return [__LINE__, \$x, \$b]; };";
        yield function () use ($code, $mark): array {
            $told = 0;
            set_error_handler(function () use (&$told): bool {
                $this->probe->pause();
                ++$told;

                return true;
            });
            $level = error_reporting(E_ALL);
            $function = eval($code);
            error_reporting($level);
            restore_error_handler();

            return ['told' => [1, $told], 'result' => [[1, $mark, 2], is_callable($function) ? $function(1, 2) : null]];
        };
    }

    /** @return Check */
    private function parseIni(): Generator
    {
        $mark = $this->probe->mark('ini');
        yield function () use ($mark): array {
            $told = [];
            set_error_handler(function (int $level, string $message) use (&$told): bool {
                $this->probe->pause();
                $told[] = $message;

                return true;
            });
            $bad = parse_ini_string("[{$mark}]\na = \"{$mark}\"\nb = \"{$mark} \${x} (\" ( {$mark}\n", true);
            restore_error_handler();
            $good = parse_ini_string("[{$mark}]\na = \"{$mark} \${PATH_{$this->probe->id}}\"\nb[] = 1\nb[] = yes", true);

            return [
                'a mistake' => [false, $bad],
                'told' => [[1, true], [count($told), str_contains($told[0] ?? '', 'on line 3')]],
                'parsed' => [[$mark => ['a' => "{$mark} ", 'b' => ['1', '1']]], $good],
            ];
        };
    }

    /** @return Check */
    private function ticks(): Generator
    {
        $ticks = 0;
        $function = function () use (&$ticks): void {
            ++$ticks;
            $this->probe->pause();
        };
        register_tick_function($function);
        yield static function () use (&$ticks): array {
            $before = $ticks;
            declare(ticks=1) {
                $a = [1];
                $a[] = 2;
            }

            return ['ticks' => [$before + count($a), $ticks]];
        };
        unregister_tick_function($function);
    }
}
