<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/**
 * With the chaos scheduler realms yield in all the places that docs/architecture.md names.
 */
final class ChaosTest extends TestCase
{
    /** Of a hundred times that PHP code goes through a place, how often the realm lets others run at least. */
    private const PLACES = [
        'usort' => 50,
        'array_map' => 60,
        'preg_replace_callback' => 60,
        'stream wrapper' => 60,
        'session handler' => 60,
        'output handler' => 33,
        'error handler' => 33,
        'shutdown functions' => 60,
        'destructors' => 33,
        'destructors of the collector' => 60,
        'destructors at the end' => 60,
        'conversions and magic methods' => 20,
        'iterator' => 8,
        'include' => 60,
        'autoload' => 150,
        'output' => 33,
        'C functions' => 8,
        'loops' => 1,
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
            foreach (self::PLACES as $place => $percent) {
                [$count, $switches] = $places[$place];
                // What the JIT has compiled calls functions without asking each time whether to let others run.
                $least = getenv('HOWDAH_JIT') ? 0 : intdiv($count * $percent, 100);
                self::assertGreaterThan(150, $count, $place);
                self::assertGreaterThan($least, $switches, "{$place}, {$count} times");
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
