<?php

/**
 * Regular expressions: limits, and a match that others interrupt.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class PatternChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return [
            'match limit' => $this->limit(),
            'match in a match' => $this->nested(),
        ]
            + (function_exists('mb_ereg_search_init') ? ['mb_ereg' => $this->multibyte()] : []);
    }

    /** @return Check */
    private function limit(): Generator
    {
        $low = $this->probe->number('limit', 2) === 1;
        $limit = $low ? '50' : '1000000';
        $before = (string) ini_set('pcre.backtrack_limit', $limit);
        // No one else has compiled it (realms may share what is compiled), and machine code counts otherwise.
        $pattern = "/(*NO_JIT)(?#{$this->probe->id})^(?:a+)+$/";
        yield static function () use ($pattern, $limit, $low): array {
            $matched = preg_match($pattern, 'aaaaaaaaaaaab');

            return ['matched' => [$low ? false : 0, $matched], 'setting' => [$limit, ini_get('pcre.backtrack_limit')]];
        };
        ini_set('pcre.backtrack_limit', $before);
        preg_match('/a/', 'a');
    }

    /** @return Check */
    private function nested(): Generator
    {
        $mark = $this->probe->mark('nested');
        yield function () use ($mark): array {
            $inner = [];
            $result = preg_replace_callback('/(\w)-(\w)/', function (array $match) use (&$inner, $mark): string {
                $this->probe->pause();
                // A match elsewhere: PHP reads on after the callback where the outer one ended.
                preg_match("/(?<id>[a-z]+\\.)(\\w+)$/", "..........{$mark}", $found, PREG_OFFSET_CAPTURE);
                $inner[] = $found['id'] ?? null;
                $this->probe->pause();

                return "{$match[2]}+{$match[1]}";
            }, "{$mark} a-b c-d e-f {$mark}");
            $parts = preg_split('/(?<=[.])/', $mark);

            return [
                'replaced' => ["{$mark} b+a d+c f+e {$mark}", $result],
                'inner' => [[['nested.', 10], ['nested.', 10], ['nested.', 10]], $inner],
                'split' => [['nested.', substr($mark, 7)], $parts],
            ];
        };
    }

    /** @return Check */
    private function multibyte(): Generator
    {
        $encoding = $this->probe->choose('regex encoding', ['UTF-8', 'EUC-JP', 'SJIS']);
        $options = $this->probe->choose('regex options', ['pr', 'ir', 'lr']);
        $before = [(string) mb_regex_encoding(), mb_regex_set_options()];
        mb_regex_encoding($encoding);
        mb_regex_set_options($options);
        $words = array_map(fn (int $i): string => "{$this->probe->id}w{$i}", range(0, 5));
        mb_ereg_search_init(implode(' ', $words), '[a-z0-9]+');
        $next = 0;
        yield static function () use ($encoding, $options, $words, &$next): array {
            return [
                'encoding' => [$encoding, mb_regex_encoding()],
                'options' => [$options, mb_regex_set_options()],
                'match' => [[$words[$next++]], mb_ereg_search_regs()],
            ];
        };
        mb_regex_encoding($before[0]);
        mb_regex_set_options($before[1]);
    }
}
