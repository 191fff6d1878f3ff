<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** Releases of an application in folders of their own, and a link `current` to the one that is served. */
abstract class ReleaseTestCase extends HttpTestCase
{
    protected string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-release-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $this->release('one');
        symlink('one', "{$this->folder}/current");
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** Makes the folder of a release, whose code.php returns its name. */
    abstract protected function release(string $version): void;

    protected function switchTo(string $version): void
    {
        symlink($version, "{$this->folder}/next");
        rename("{$this->folder}/next", "{$this->folder}/current");
    }

    protected function write(string $name, string $text): void
    {
        file_put_contents("{$this->folder}/new", $text);
        rename("{$this->folder}/new", "{$this->folder}/$name");
    }

    /** @return list<string> */
    protected static function arguments(string $mode, string $folder = ''): array
    {
        $script = $mode === 'worker' ? "--worker-script=$folder/worker.php" : '--mode=classic';

        return ['--workers=1', $script, '--ini=opcache.validate_timestamps=0', '--ini=opcache.file_update_protection=0'];
    }
}
