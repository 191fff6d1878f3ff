<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/**
 * With the chaos scheduler realms yield in all the places that docs/architecture.md names.
 */
final class ChaosTest extends TestCase
{
    /** Of so many times that PHP code goes through a place, the realm lets others run at least once. */
    private const PLACES = [
        'usort' => 3,
        'array_map' => 3,
        'preg_replace_callback' => 3,
        'stream wrapper' => 3,
        'session handler' => 3,
        'output handler' => 3,
        'error handler' => 3,
        'shutdown functions' => 3,
        'destructors' => 3,
        'destructors of the collector' => 3,
        'destructors at the end' => 3,
        'conversions and magic methods' => 5,
        'iterator' => 10,
        'include' => 3,
        'autoload' => 3,
        'output' => 3,
        'C functions' => 12,
        'loops' => 120,
    ];

    /**
     * @return array<string, array{int, int}> place => how often, switches
     */
    private static function places(string ...$options): array
    {
        $run = Runner::run('chaos.php', ['--slice=0', ...array_values($options)]);
        self::assertSame('', $run->err);
        /** @var array<string, array{int, int}> $places */
        $places = json_decode($run->out, true, 512, JSON_THROW_ON_ERROR);

        return $places;
    }

    public function testRealmsYieldInEachPlace(): void
    {
        foreach ([1, 2, 3] as $seed) {
            $places = self::places("--chaos={$seed}");
            self::assertEqualsCanonicalizing(array_keys(self::PLACES), array_keys($places));
            foreach (self::PLACES as $place => $times) {
                [$count, $switches] = $places[$place];
                self::assertGreaterThan(150, $count, $place);
                self::assertGreaterThan(intdiv($count, $times), $switches, "{$place}, {$count} times");
            }
        }
    }

    public function testWithoutASeedNoneYields(): void
    {
        foreach (self::places() as $place => [$count, $switches]) {
            self::assertSame(0, $switches, $place);
        }
    }

    public function testASeedYieldsInTheSamePlacesAgain(): void
    {
        self::assertSame(self::places('--chaos=5'), self::places('--chaos=5'));
        self::assertNotSame(self::places('--chaos=5'), self::places('--chaos=6'));
    }
}
