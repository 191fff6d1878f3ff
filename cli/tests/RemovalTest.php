<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Removal;
use Howdah\Cli\RuntimeFolder;

/** What root removes where another user may have written: nginx gives its workers' user folders in the runtime folder. */
final class RemovalTest extends CliTestCase
{
    private const USER = 'nobody';

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root can give folders to others');
        }
    }

    public function test_all_of_a_folder_is_removed_and_nothing_that_a_link_leads_to(): void
    {
        $victim = $this->project(['a/b.txt' => 'kept', 'c.txt' => 'kept']);
        $folder = new RuntimeFolder();
        $folder->write('nginx.conf', 'text');
        mkdir("$folder->path/client_body/1/02", 0777, true);
        file_put_contents("$folder->path/client_body/1/02/body", 'a body');
        symlink("$victim/a", "$folder->path/client_body/folder");
        symlink("$victim/c.txt", "$folder->path/client_body/1/file");
        symlink($victim, "$folder->path/link");
        link("$victim/c.txt", "$folder->path/client_body/hard");
        foreach (['client_body', 'client_body/1', 'client_body/1/02'] as $name) {
            chown("$folder->path/$name", self::USER);
        }

        $folder->remove();

        self::assertFileDoesNotExist($folder->path);
        self::assertSame(['kept', 'kept'], array_map(file_get_contents(...), ["$victim/a/b.txt", "$victim/c.txt"]));
        self::assertSame(0, fileowner("$victim/a"));
    }

    /** Between a look and what follows from it, entries stay what they are: what the removal leaves shows whose the folders were. */
    public function test_nobody_else_can_write_in_a_folder_whose_entries_are_looked_at(): void
    {
        $folder = new RuntimeFolder();
        mkdir("$folder->path/client_body");
        $deepest = $this->tooDeep("$folder->path/client_body");
        exec('chown -R ' . self::USER . ' ' . escapeshellarg("$folder->path/client_body"));
        exec('chmod -R 777 ' . escapeshellarg("$folder->path/client_body"));

        $folder->remove();

        for ($each = $deepest; $each !== dirname($folder->path); $each = dirname($each)) {
            clearstatcache();
            self::assertSame([0, 0700], [fileowner($each), fileperms($each) & 0777], 'of ' . strlen($each) . ' bytes');
        }
        exec('rm -rf ' . escapeshellarg($folder->path));
    }

    public function test_what_is_another_user_s_is_left(): void
    {
        $folder = $this->project(['a.txt' => 'theirs']);
        $link = dirname($folder) . '/link';
        symlink($folder, $link);
        Removal::of($link);
        chown($folder, self::USER);
        Removal::of($folder);

        self::assertStringEqualsFile("$folder/a.txt", 'theirs');
        self::assertSame(self::USER, posix_getpwuid((int) fileowner($folder))['name'] ?? '');
    }

    /** @return string a folder below, the deepest that PHP can name; what it has cannot be removed by name */
    private function tooDeep(string $folder): string
    {
        $here = (string) getcwd();
        $name = str_repeat('d', 200);
        $deepest = $folder;
        chdir($folder);
        for ($depth = 0; $depth < 25; $depth++) {
            mkdir($name);
            chdir($name);
            $deepest = strlen("$deepest/$name") < PHP_MAXPATHLEN - 200 ? "$deepest/$name" : $deepest;
        }
        chdir($here);

        return $deepest;
    }
}
