<?php

declare(strict_types=1);

namespace Howdah\Bench\Where;

use Howdah\Cli\Failure;

/**
 * What callgrind has counted (its format: valgrind's manual, "Callgrind Format Specification"), by part.
 *
 * A function that belongs to no part, such as memcpy(), is its callers', each by what its calls cost; who has no callers that
 * are known is PHP's.
 */
final class Profile
{
    /** Until shares stand still: chains of calls are not longer. */
    private const ROUNDS = 40;

    /** @var array<string, int> by function */
    private array $self = [];

    /** @var array<string, array<string, int>> by who is called, by who calls: what it cost */
    private array $calls = [];

    /** @var array<string, int> how often, by function */
    private array $times = [];

    /** @var array<string, Part> of functions that have one */
    private array $parts = [];

    public static function read(string $file): self
    {
        $lines = @file($file, FILE_IGNORE_NEW_LINES) ?: throw new Failure("callgrind has left nothing in $file");
        $profile = new self();
        $names = [];
        // What is said once with its number, and then by the number alone; "ob" is of "cob", too.
        $name = static function (string $kind, string $said) use (&$names): string {
            if (preg_match('/^\((\d+)\)(?: (.*))?$/', $said, $match) !== 1) {
                return $said;
            }

            return $names[$kind][$match[1]] ??= $match[2] ?? '';
        };
        $at = ['ob' => '', 'fl' => '', 'fn' => ''];
        $to = [];
        $function = '';
        $called = null;
        foreach ($lines as $line) {
            if (preg_match('/^(c?)(ob|fl|fi|fe|fn)=(.*)$/', $line, $match) === 1) {
                $kind = in_array($match[2], ['fi', 'fe'], true) ? 'fl' : $match[2];
                $said = $name($kind, $match[3]);
                if ($match[1] === 'c') {
                    $to[$kind] = $said;
                } else {
                    // After fi and fe the function goes on: what is inlined is its own.
                    $at[$kind] = $said;
                    $function = $kind === 'fn' ? $profile->add($at) : $function;
                }
            } elseif (str_starts_with($line, 'calls=')) {
                $called = $profile->add($to + $at);
                $profile->times[$called] = ($profile->times[$called] ?? 0) + (int) substr($line, strlen('calls='));
                $to = [];
            } elseif (preg_match('/^(?:[+-]?\d+|\*) (\d+)$/', $line, $match) === 1) {
                if ($called === null) {
                    $profile->self[$function] += (int) $match[1];
                } else {
                    $profile->calls[$called][$function] = ($profile->calls[$called][$function] ?? 0) + (int) $match[1];
                    $called = null;
                }
            }
        }

        return $profile;
    }

    public function total(): int
    {
        return array_sum($this->self);
    }

    /** How often functions were called whose name begins so. */
    public function calls(string $name): int
    {
        $is = static fn (string $function): bool => preg_match("/ {$name}[^ ]*\$/D", $function) === 1;

        return array_sum(array_filter($this->times, $is, ARRAY_FILTER_USE_KEY));
    }

    /** @return array<string, int> by function; what it cost by itself */
    public function functions(): array
    {
        arsort($this->self);

        return $this->self;
    }

    /** @return array<string, float> by the part's value */
    public function parts(): array
    {
        $sums = array_fill_keys(array_map(static fn (Part $part) => $part->value, Part::cases()), 0.0);
        $shares = $this->shares();
        foreach ($this->self as $function => $cost) {
            foreach ($shares[$function] as $part => $share) {
                $sums[$part] += $cost * $share;
            }
        }

        return $sums;
    }

    /** @return array<string, array<string, float>> by function, by part; their sum is 1 */
    private function shares(): array
    {
        $fixed = array_map(static fn (Part $part) => [$part->value => 1.0], $this->parts);
        $shares = $fixed + array_map(static fn () => [Part::Php->value => 1.0], $this->self);
        for ($round = 0; $round < self::ROUNDS; $round++) {
            foreach (array_diff_key($this->calls, $fixed) as $called => $callers) {
                // What calls itself says nothing of whose it is.
                unset($callers[$called]);
                $all = array_sum($callers);
                $share = [];
                foreach ($all === 0 ? [] : $callers as $caller => $cost) {
                    // What a hook calls would have been called without it.
                    $whose = ($this->parts[$caller] ?? null) === Part::Hooks ? [Part::Php->value => 1.0] : $shares[$caller];
                    foreach ($whose as $part => $of) {
                        $share[$part] = ($share[$part] ?? 0.0) + $of * $cost / $all;
                    }
                }
                $shares[$called] = $share ?: $shares[$called];
            }
        }

        return $shares;
    }

    /** @param array<string, string> $at */
    private function add(array $at): string
    {
        // Callgrind numbers the levels of a recursion.
        $name = (string) preg_replace("/'\\d+$/", '', $at['fn']);
        $function = basename($at['ob']) . ' ' . ($at['fl'] === '???' ? '' : "$at[fl] ") . $name;
        if (!isset($this->self[$function])) {
            $this->self[$function] = 0;
            $part = Part::of($at['ob'], $at['fl'], $name);
            if ($part !== null) {
                $this->parts[$function] = $part;
            }
        }

        return $function;
    }
}
