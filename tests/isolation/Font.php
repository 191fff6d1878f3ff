<?php

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

/**
 * A TrueType font that has one letter, A, which is a box: its width tells which font has drawn it.
 */
final class Font
{
    private const UNITS = 1000;

    /** What is in the file for an A so wide, of 1000 units (a thousandth of the font's size each). */
    public static function file(int $width): string
    {
        // A contour of four points, all of them on it, with coordinates of two bytes, each relative to the one before.
        $box = pack('n5', 1, 0, 0, $width, self::UNITS) . pack('n2', 3, 0) . str_repeat("\x01", 4)
            . pack('n4', 0, $width, 0, 0x10000 - $width) . pack('n4', 0, 0, self::UNITS, 0);
        // One segment of characters, 65 to 65, that leads to glyph 1; and the one that ends the table.
        $map = pack('n8', 4, 32, 0, 4, 4, 1, 0, 65) . pack('n8', 0xFFFF, 0, 65, 0xFFFF, 0x10000 - 64, 1, 0, 0);
        $tables = [
            'cmap' => pack('n4N', 0, 1, 3, 1, 12) . $map,
            'glyf' => $box,
            'head' => pack('N4n2', 0x10000, 0x10000, 0, 0x5F0F3CF5, 0, self::UNITS) . str_repeat("\0", 16)
                . pack('n9', 0, 0, $width, self::UNITS, 0, 8, 2, 1, 0),
            'hhea' => pack('Nn4', 0x10000, self::UNITS, 0, 0, $width) . pack('n12', 0, 0, $width, 1, 0, 0, 0, 0, 0, 0, 0, 2),
            'hmtx' => pack('n4', $width, 0, $width, 0),
            'loca' => pack('N3', 0, 0, strlen($box)),
            'maxp' => pack('Nn14', 0x10000, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        ];
        $directory = pack('Nn4', 0x10000, count($tables), 64, 2, 48);
        $at = strlen($directory) + 16 * count($tables);
        $data = '';
        foreach ($tables as $tag => $table) {
            // FreeType does not look at the checksums.
            $directory .= $tag . pack('N3', 0, $at + strlen($data), strlen($table));
            $data .= str_pad($table, (strlen($table) + 3) & ~3, "\0");
        }

        return $directory . $data;
    }
}
