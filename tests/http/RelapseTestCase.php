<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\TestCase;

/** A worker script that ends its whole process while it boots. */
abstract class RelapseTestCase extends TestCase
{
    protected const SERVES = "<?php while (frankenphp_handle_request(static function () { echo 'well'; })) {}";

    private const CRASHES = "<?php if (is_file(__DIR__ . '/crash')) { posix_kill(getmypid(), 11); }\n";

    protected string $folder;
    protected ?Nginx $nginx = null;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-relapse-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/nginx", recursive: true);
        file_put_contents("{$this->folder}/worker.php", self::CRASHES . substr(self::SERVES, 6));
        copy("{$this->folder}/worker.php", "{$this->folder}/other.php");
        file_put_contents("{$this->folder}/file.txt", 'a file');
    }

    protected function tearDown(): void
    {
        $this->nginx?->stop();
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** Where there is a door, each boot is at it before. */
    final protected function crashFromNowOn(?Door $door): void
    {
        $waits = $door === null ? '' : "require '" . __DIR__ . "/door.php'; Howdah\HttpTests\waitAtDoor('{$door->path}');";
        file_put_contents("{$this->folder}/new", "<?php $waits posix_kill(getmypid(), 11);");
        rename("{$this->folder}/new", "{$this->folder}/worker.php");
    }

    /** @param ?array<string, string> $environment */
    final protected function serve(string $directives = '', int $workers = 1, ?array $environment = null): Nginx
    {
        $script = "--worker-script={$this->folder}/worker.php";
        $options = ["--workers=$workers", '--ini=opcache.revalidate_freq=0', $script];
        $this->nginx = new Nginx("{$this->folder}/nginx", $this->folder, $options, $directives, environment: $environment);

        return $this->nginx->awaitReady();
    }

    final protected function awaitLog(string $text): void
    {
        $has = fn (): bool => str_contains((string) $this->nginx?->log(), $text);
        Clock::await($has, fn (): string => "the log has $text: {$this->nginx?->log()}");
    }
}
