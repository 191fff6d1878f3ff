<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Circles.php';

final class CirclesTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-circles-' . getmypid();
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("{$this->folder}/*") ?: []);
        rmdir($this->folder);
    }

    /**
     * @param array<string, list<string>> $files name => what it includes
     */
    private function circles(array $files): Circles
    {
        foreach ($files as $name => $included) {
            $lines = array_map(static fn (string $file): string => "#include \"{$file}\"\n", $included);
            file_put_contents("{$this->folder}/{$name}", implode('', $lines));
        }

        return new Circles($this->folder);
    }

    public function testACircleIsFoundThroughSourcesAndHeaders(): void
    {
        $circles = $this->circles([
            'a.c' => ['a.h', 'b.h'],
            'a.h' => [],
            'b.h' => [],
            'b.c' => ['b.h', 'c.h'],
            'c.h' => ['d.h'],
            'd.h' => [],
            'd.c' => ['d.h', 'a.h'],
            'leaf.h' => [],
            'e.c' => ['leaf.h', 'a.h'],
        ]);

        self::assertSame([['a', 'b', 'c', 'd']], $circles->largerThan(3));
        self::assertSame([], $circles->largerThan(4));
        self::assertStringContainsString('b includes c', $circles->explain(['a', 'b', 'c', 'd']));
    }

    public function testFilesThatAreIncludedTwiceAreNoCircle(): void
    {
        $circles = $this->circles(['a.c' => ['b.h', 'c.h'], 'b.h' => ['d.h'], 'c.h' => ['d.h'], 'd.h' => []]);

        self::assertSame([], $circles->largerThan(1));
        self::assertSame(4, $circles->files());
    }
}
