<?php

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Closure;
use Generator;
use Throwable;

/**
 * What checks found: how many values were compared, and which were not what they had to be.
 *
 * @phpstan-import-type Check from Checks
 */
final class Findings
{
    /** @var array<string, array{expected: string, actual: string}> */
    public array $wrong = [];

    public int $compared = 0;

    /**
     * Foreign state makes PHP throw, too: that is an answer, and the other checks still put back what they set.
     */
    public function guard(string $name, Closure $step): void
    {
        try {
            $step();
        } catch (Throwable $error) {
            $this->wrong["{$name}: threw"] ??= ['expected' => 'nothing', 'actual' => self::describe($error)];
        }
    }

    /**
     * @param Check $check
     */
    public function look(string $name, Generator $check): void
    {
        $this->guard($name, fn () => $this->compare($name, $check));
    }

    /**
     * @param Check $check
     */
    public function end(string $name, Generator $check): void
    {
        $this->guard($name, function () use ($name, $check): void {
            $check->next();
            $this->compare($name, $check);
            $check->next();
        });
    }

    /**
     * @param Check $check
     */
    private function compare(string $name, Generator $check): void
    {
        if (!$check->valid()) {
            return;
        }
        foreach ($check->current()() as $what => [$expected, $actual]) {
            ++$this->compared;
            if ($expected !== $actual) {
                $this->wrong["{$name}: {$what}"] ??= [
                    'expected' => self::describe($expected),
                    'actual' => self::describe($actual),
                ];
            }
        }
    }

    private static function describe(mixed $value): string
    {
        return match (true) {
            $value instanceof Throwable => substr("{$value->getMessage()} ({$value->getFile()}:{$value->getLine()})", 0, 600),
            is_object($value) => $value::class . '#' . spl_object_id($value),
            default => substr(var_export($value, true), 0, 300),
        };
    }
}
