<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use RuntimeException;

/**
 * Which object files need which, by the functions and data that each has and asks for.
 */
final class Symbols
{
    /**
     * @param list<string> $objects
     * @return array<string, list<string>> file without its ending => those that have what it asks for
     */
    public static function read(array $objects): array
    {
        exec('nm -g -A -P ' . implode(' ', array_map(escapeshellarg(...), $objects)), $lines, $status);
        if ($status !== 0) {
            throw new RuntimeException('nm: it cannot read the object files');
        }
        $home = [];
        $asked = array_fill_keys(preg_replace('/\.o$/', '', $objects), []);
        foreach ($lines as $line) {
            if (preg_match('/^(.+)\.o: (\S+) (\S)/', $line, $match) !== 1) {
                throw new RuntimeException("nm: {$line}");
            }
            [, $file, $symbol, $type] = $match;
            if (in_array($type, ['U', 'w', 'v'], true)) {
                $asked[$file][] = $symbol;
            } else {
                $home[$symbol] = $file;
            }
        }

        if ($home === []) {
            throw new RuntimeException('nm: it sees no symbols in these files');
        }

        return array_map(
            static fn (array $symbols): array => array_values(array_unique(array_intersect_key($home, array_flip($symbols)))),
            $asked,
        );
    }
}
