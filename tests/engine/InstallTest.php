<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/** The calls of PHP and its extensions are patched wherever their files are and however those are called, or PHP does not start. */
final class InstallTest extends TestCase
{
    private const EXTENSION = __DIR__ . '/../../build/extension/lazy.so';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-install-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        mkdir("{$this->folder}/inside");
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function testPhpMayBeBelowAFolderThatIsNamedAsNginxOrTheCLibrary(): void
    {
        exec('ldd ' . escapeshellarg(dirname(__DIR__, 2) . '/build/howdah-run'), $lines);
        $found = preg_match('#libphp\S* => (\S+)#', implode("\n", $lines), $library);
        self::assertSame(1, $found);
        $lib = "{$this->folder}/nginx/ngx_/libc.so";
        mkdir($lib, recursive: true);
        symlink($library[1], "{$lib}/" . basename($library[1]));
        symlink((string) ini_get('extension_dir'), "{$lib}/extensions");

        $run = Runner::run('installed.php', [
            "--ini=extension_dir={$lib}/extensions",
            "--query=n=%d&folder={$this->folder}/inside",
            '--requests=8',
            '--at-once=8',
            '--expect=own',
        ], environment: ['LD_LIBRARY_PATH' => $lib]);

        self::assertSame(0, $run->exit, "{$run->out}\n{$run->err}");
    }

    public function testAnExtensionWhoseCallsAreNotPatchedIsNamedAndRefused(): void
    {
        $file = "{$this->folder}/ngx_lazy.so";
        copy(self::EXTENSION, $file);

        $run = Runner::run('installed.php', ["--ini=extension={$file}"]);

        self::assertNotSame(0, $run->exit);
        self::assertStringContainsString("the PHP extension mailparse ({$file}) calls the C library's own usleep()", $run->err);
        self::assertStringContainsString('give this one another name', $run->err);
    }
}
