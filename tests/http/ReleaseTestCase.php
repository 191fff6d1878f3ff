<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;

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

    protected function awaitLine(Server $server, string $text): void
    {
        Clock::await(
            static fn (): bool => str_contains($server->errors(), $text) || !$server->isRunning(),
            static fn (): string => "the log has $text: {$server->errors()}",
        );
        self::assertStringContainsString($text, $server->errors());
    }

    /** @return list<string> */
    protected static function arguments(string $mode, string $folder = ''): array
    {
        $script = $mode === 'worker' ? "--worker-script=$folder/worker.php" : '--mode=classic';

        return ['--workers=1', $script, '--ini=opcache.validate_timestamps=0', '--ini=opcache.file_update_protection=0'];
    }
}
