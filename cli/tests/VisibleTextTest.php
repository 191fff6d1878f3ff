<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\VisibleText;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** What others have chosen does nothing to a terminal, and stays what it is otherwise. */
final class VisibleTextTest extends TestCase
{
    /** @return iterable<string, array{string, string}> what it is, and what is shown */
    public static function texts(): iterable
    {
        $text = "GET /\u{e4}\u{20ac}\u{1f418}<b>\\ ?";
        yield 'text' => [$text, $text];
        yield 'control characters' => ["\e[31m\e]0;title\x07\x08\r\t\0\x7f", '?[31m?]0;title??????'];
        $directions = "\u{9b}31m \u{202e}gnp.exe \u{2066}\u{2069}\u{200f}\u{61c}\u{2028}\u{2029}";
        yield 'directions and lines' => [$directions, '?31m ?gnp.exe ??????'];
        $unseen = "\u{ad}\u{200b}\u{200d}\u{2060}\u{3164}\u{feff}\u{e0041} \u{2764}\u{fe0f}\u{2027}\u{2070}";
        yield 'what is not seen' => [$unseen, "??????? \u{2764}\u{fe0f}\u{2027}\u{2070}"];
        $bytes = "\xff\xc2\xe2\x80 \x9b2J\xc0\x9b\xed\xa0\x80 \xe4\xc2\x9b2J\xf4\x90\x80\x80";
        yield 'bytes that are no text' => [$bytes, '???? ?2J????? ??2J????'];
    }

    #[DataProvider('texts')]
    public function test_controls_are_replaced_and_nothing_else(string $text, string $visible): void
    {
        self::assertSame($visible, VisibleText::line($text));
    }

    /** What the log escapes (nginx/text.c) is what the command does not show, but for the ends of lines. */
    public function test_each_character_is_hidden_that_the_module_hides(): void
    {
        $source = (string) file_get_contents(dirname(__DIR__, 2) . '/nginx/text.c');
        $table = preg_match('/} hidden\[\] = {(.*?)};/s', $source, $match) === 1 ? $match[1] : '';
        self::assertGreaterThan(10, preg_match_all('/{0x([0-9a-f]+), +0x([0-9a-f]+)}/', $table, $ranges, PREG_SET_ORDER));
        self::assertSame(count($ranges), substr_count($table, '{'), 'each row is read');
        $hidden = [];
        foreach ($ranges as [, $first, $last]) {
            $hidden += array_fill((int) hexdec($first), (int) hexdec($last) - (int) hexdec($first) + 1, true);
        }
        unset($hidden[ord("\n")]);
        $differ = [];
        for ($code = 0; $code <= 0x10ffff; ++$code) {
            $isCharacter = $code < 0xd800 || $code > 0xdfff;
            $character = $isCharacter ? (string) mb_chr($code) : '';
            if ($isCharacter && VisibleText::lines($character) !== (isset($hidden[$code]) ? '?' : $character)) {
                $differ[] = sprintf('U+%04X', $code);
            }
        }
        self::assertSame([], $differ);
    }

    public function test_lines_are_kept_where_there_may_be_several(): void
    {
        self::assertSame("a\nb", VisibleText::lines("a\nb"));
        self::assertSame('a?b', VisibleText::line("a\nb"));
    }
}
