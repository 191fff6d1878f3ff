<?php

declare(strict_types=1);

namespace Howdah\Tests\Layers;

use PHPUnit\Framework\TestCase;
use RuntimeException;

require_once __DIR__ . '/Includes.php';
require_once __DIR__ . '/Picture.php';

final class PictureTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-picture-' . getmypid();
        foreach (['engine/low', 'engine/high', 'nginx'] as $folder) {
            mkdir("{$this->folder}/{$folder}", recursive: true);
        }
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("{$this->folder}/{engine/*,nginx,engine}/*.[ch]", GLOB_BRACE) ?: []);
        foreach (['engine/low', 'engine/high', 'engine', 'nginx', ''] as $folder) {
            rmdir("{$this->folder}/{$folder}");
        }
    }

    private function picture(string ...$more): Picture
    {
        $files = [
            'engine/howdah.h' => [],
            'engine/low/a.h' => ['../howdah.h'],
            'engine/high/b.c' => ['../low/a.h', '../howdah.h'],
            'nginx/module.c' => ['howdah.h'],
            ...array_map(static fn (string $included): array => [$included], $more),
        ];
        foreach ($files as $name => $included) {
            $lines = array_map(static fn (string $file): string => "#include \"{$file}\"\n", $included);
            file_put_contents("{$this->folder}/{$name}", implode('', $lines));
        }

        return new Picture(Includes::read($this->folder, ['engine', 'nginx']));
    }

    public function testWhatFollowsIsNotDrawn(): void
    {
        self::assertSame(<<<'TEXT'
            ```mermaid
            flowchart TD
              howdah_h["howdah.h"]
              high --> low
              nginx --> howdah_h
              low --> howdah_h
            ```

            TEXT, $this->picture()->draw());
    }

    public function testAnArrowUpwardsIsSeen(): void
    {
        $picture = $this->picture(...['engine/low/c.c' => '../high/d.h', 'engine/high/d.h' => '../howdah.h']);

        self::assertStringContainsString('  low --> high', $picture->draw());
        self::assertStringContainsString('  high --> low', $picture->draw());
    }

    public function testThePageKeepsWhatIsAroundIt(): void
    {
        $picture = $this->picture();

        self::assertSame("# A\n{$picture->draw()}B\n", $picture->put("# A\n```mermaid\nold\n```\nB\n"));
        $this->expectException(RuntimeException::class);
        $picture->put("# A\n");
    }
}
