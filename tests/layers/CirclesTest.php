<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Circles.php';
require_once __DIR__ . '/Includes.php';
require_once __DIR__ . '/Symbols.php';

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

        return new Circles(Includes::read($this->folder));
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
        self::assertStringContainsString('b needs c', $circles->explain(['a', 'b', 'c', 'd']));
    }

    public function testFilesThatAreIncludedTwiceAreNoCircle(): void
    {
        $circles = $this->circles(['a.c' => ['b.h', 'c.h'], 'b.h' => ['d.h'], 'c.h' => ['d.h'], 'd.h' => []]);

        self::assertSame([], $circles->largerThan(1));
    }

    /**
     * @param array<string, string> $files name => its code
     */
    private function calls(array $files): Circles
    {
        $objects = [];
        foreach ($files as $name => $code) {
            file_put_contents("{$this->folder}/{$name}.c", $code);
            exec('cd ' . escapeshellarg($this->folder) . ' && ' . getenv('CC') . " -c {$name}.c", $said, $status);
            self::assertSame(0, $status, implode("\n", $said));
            $objects[] = "{$this->folder}/{$name}.o";
        }

        return new Circles(Symbols::read($objects));
    }

    public function testACircleIsFoundThroughCallsAndData(): void
    {
        $circles = $this->calls([
            'a' => 'void b(void); void a(void) { b(); }',
            'b' => 'extern int c; int *b(void) { return &c; }',
            'c' => 'void d(void); int c; void of_c(void) { d(); }',
            'd' => '__attribute__((weak)) void a(void); void d(void) { a(); }',
            'e' => 'void a(void); static void own(void) { a(); } void (*e)(void) = own;',
            'f' => 'static int alone;',
        ]);
        [$circle] = $circles->largerThan(3);

        self::assertSame(['a', 'b', 'c', 'd'], array_map(basename(...), $circle));
        self::assertSame([], $circles->largerThan(4));
        self::assertStringContainsString("b needs {$this->folder}/c\n", $circles->explain($circle));
    }

    public function testWhatNobodyHasOfTheFilesIsNoCircle(): void
    {
        self::assertSame([], $this->calls(['a' => 'int puts(const char *); int a(void) { return puts(""); }'])->largerThan(1));
    }

    public function testFilesWithoutSymbolsAreNotTakenForFilesWithoutCalls(): void
    {
        $this->expectExceptionMessage('no symbols');

        $this->calls(['a' => '']);
    }
}
