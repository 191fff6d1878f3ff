<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** What all charts share: the frame, its words, and colours. */
final class Svg
{
    public const WIDTH = 860;

    public const OURS = '#1f6feb';
    public const OTHERS = '#8b949e';

    /**
     * @param list<string> $lines what is in it, below the first 58 units
     */
    public static function document(int $height, string $title, string $subtitle, array $lines, string $footer): string
    {
        return implode("\n", [
            '<svg xmlns="http://www.w3.org/2000/svg" width="' . self::WIDTH . "\" height=\"$height\""
                . ' viewBox="0 0 ' . self::WIDTH . " $height\" font-family=\"sans-serif\" font-size=\"13\">",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            self::text(16, 24, $title, 'font-size="16" font-weight="bold"'),
            self::text(16, 44, $subtitle),
            ...$lines,
            self::text(16, $height - 12, $footer, 'font-size="11" fill="#57606a"'),
            '</svg>',
        ]) . "\n";
    }

    public static function text(float $x, float $y, string $text, string $attributes = ''): string
    {
        $place = sprintf('x="%s" y="%s"', round($x, 1), round($y, 1));

        return "<text $place $attributes>" . htmlspecialchars($text, ENT_XML1 | ENT_QUOTES) . '</text>';
    }
}
