<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\DataFolder;
use Howdah\Cli\Place;
use Howdah\Cli\Program;

/** Where root writes for workers of another user (--user). */
final class PlaceTest extends CliTestCase
{
    private const USER = 'nobody';

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root can give folders to others');
        }
    }

    public function test_a_folder_is_as_safe_as_the_weakest_above_it(): void
    {
        $root = (string) realpath($this->project(['a/b/c' => '', 'theirs/b/c' => '', 'sticky/b/c' => '', 'group/b/c' => '']));
        chown("$root/theirs", self::USER);
        chmod("$root/sticky", 01777);
        chmod("$root/group", 0775);
        chgrp("$root/group", 'nogroup');
        $weak = static fn (string $name, bool $isNew): ?string => (new Place("$root/$name"))->weakness($isNew);

        self::assertNull($weak('a/b', false));
        self::assertSame(["$root/theirs", "$root/theirs"], [$weak('theirs/b', true), $weak('theirs', false)]);
        self::assertSame(["$root/group", "$root/group"], [$weak('group/b', true), $weak('group', true)]);
        self::assertNull($weak('sticky/b', false), 'a folder of root\'s stays there');
        self::assertNull($weak('sticky', true), 'what is made anew stays there');
        self::assertSame("$root/sticky", $weak('sticky', false), 'what is there may be another user\'s link');
        self::assertNull($weak('none/of/them', true), 'nobody else can make it');
        self::assertSame("$root/theirs", $weak('theirs/none', true), 'its owner may make it before we write');
        self::assertSame("$root/sticky", $weak('sticky/none/b', true), 'as may everybody');
        symlink("$root/theirs/b", "$root/a/link");
        self::assertSame("$root/theirs", $weak('a/link', true));
        self::assertNull((new Place("$root/sticky/none/b"))->weakness(true, true), 'made by us');
        self::assertSame("$root/sticky", $weak('sticky/none', false), 'others may make it');
        self::assertSame("$root/theirs", $weak('theirs/none/b', true), 'others may make it');
        $before = (string) getcwd();
        chdir("$root/a");
        $weakness = (new Place('../theirs/none'))->weakness(true);
        chdir($before);
        self::assertSame("$root/theirs", $weakness);
    }

    public function test_a_folder_of_roots_that_lacks_the_sticky_bit_alone_is_told_so(): void
    {
        $root = (string) realpath($this->project(['open/b' => '', 'theirs/b' => '']));
        chmod("$root/open", 0777);
        chown("$root/theirs", self::USER);
        $said = fn (string $name, bool $isNew): string => $this->failure(
            static fn () => (new Place("$root/$name"))->assertRoots('it', $isNew, 'name another'),
        );

        self::assertStringEndsWith(": name another, or `chmod +t $root/open`", $said('open', true));
        self::assertStringEndsWith(': name another', $said('open', false), 'what is there may be another user\'s link');
        self::assertStringEndsWith(': name another', $said('theirs', true));
        chmod("$root/open", 01777);
        (new Place("$root/open"))->assertRoots('it', true, 'name another');
    }

    public function test_a_folder_is_as_safe_as_the_links_that_lead_there(): void
    {
        $root = (string) realpath($this->project(['a/b' => '', 'theirs/b' => '', 'sticky/b' => '']));
        $weak = static fn (string $name): ?string => (new Place("$root/$name"))->weakness(false);
        symlink('../a', "$root/theirs/link");
        symlink("$root/theirs/link", "$root/a/second");
        symlink("$root/none", "$root/theirs/dead");
        symlink('circle', "$root/a/circle");
        symlink("$root/a", "$root/sticky/ours");
        symlink("$root/a", "$root/sticky/others");
        chown("$root/theirs", self::USER);
        lchown("$root/sticky/others", self::USER);
        chmod("$root/sticky", 01777);

        self::assertSame("$root/theirs", $weak('theirs/link'), 'it leads to root\'s own');
        self::assertSame("$root/theirs", $weak('a/second'), 'and so does another one');
        self::assertSame("$root/theirs", $weak('theirs/dead'));
        self::assertSame("$root/theirs", $weak('a/../theirs/link/'));
        self::assertNull($weak('a/circle'));
        self::assertNull($weak('sticky/ours'));
        self::assertSame("$root/sticky", $weak('sticky/others'));
    }

    public function test_root_keeps_nothing_where_a_link_of_another_user_leads(): void
    {
        $theirs = $this->project([]);
        $victim = (string) realpath($this->project(['file' => 'kept']));
        chmod($victim, 0755);
        symlink($victim, "$theirs/howdah");
        chown($theirs, self::USER);

        $message = $this->failure(static fn () => (new DataFolder("$theirs/howdah"))->alone(static fn () => null));

        self::assertStringContainsString("other users than root may write in $theirs", $message);
        self::assertStringContainsString('XDG_DATA_HOME', $message);
        clearstatcache();
        self::assertSame([0755, ['.', '..', 'file']], [fileperms($victim) & 0777, scandir($victim)]);
        // What is not there yet is not made either.
        $this->failure(static fn () => (new DataFolder("$theirs/new/howdah"))->alone(static fn () => null));
        self::assertSame(['.', '..', 'howdah'], scandir($theirs));
    }

    public function test_workers_of_another_user_cannot_have_root_write_in_their_folders(): void
    {
        $theirs = $this->project([]);
        chown($theirs, self::USER);
        $user = '--user=' . self::USER;

        foreach (["--listen=unix:$theirs/sock", "--slow=1s --slow-log=$theirs/log"] as $options) {
            $this->options($options);
            $message = $this->failure(fn () => $this->options("$options $user"));
            self::assertStringContainsString("other users than root may write in $theirs", $message);
        }
        $code = 'require $argv[1]; new Howdah\Cli\RuntimeFolder($argv[2] ?? null);';
        $make = ['env', "TMPDIR=$theirs", PHP_BINARY, '-r', $code, __DIR__ . '/../vendor/autoload.php'];
        self::assertSame(0, Program::run($make)->status);
        $message = Program::run([...$make, self::USER])->errors;
        self::assertStringContainsString("other users than root may write in $theirs", $message);
        self::assertSame(['.', '..'], scandir($theirs));
    }

    /** Nor as one of root's group, which may write in folders of root's. */
    public function test_init_gives_roots_groups_up_where_the_owner_has_no_name(): void
    {
        $root = $this->project(['public/index.php' => '']);
        $victim = $this->project(['kept' => '']);
        exec('chown -R 54321:54321 ' . escapeshellarg($root));
        chmod($victim, 0775);
        symlink($victim, "$root/deploy");
        $installation = $this->installation(['howdah-run' => $this->probe([]), 'ngx_http_howdah_module.so' => 'a module']);

        $answer = Program::run(['setpriv', '--groups=0', PHP_BINARY, "$installation/bin/howdah", 'init', '-n', $root]);

        self::assertStringContainsString('cannot write', $answer->errors);
        self::assertSame(['.', '..', 'kept'], scandir($victim));
    }

    public function test_files_of_init_belong_to_the_owner_of_the_project_and_follow_no_link_as_root(): void
    {
        $root = $this->project(['public/index.php' => '']);
        $victim = $this->project(['nginx.conf' => 'kept']);
        exec('chown -R ' . self::USER . ' ' . escapeshellarg($root));
        symlink($victim, "$root/deploy");
        $installation = $this->installation(['howdah-run' => $this->probe([]), 'ngx_http_howdah_module.so' => 'a module']);
        $init = [PHP_BINARY, "$installation/bin/howdah", 'init', '-n', $root];

        $answer = Program::run($init);
        self::assertStringContainsString('cannot write', $answer->errors);
        self::assertSame(['.', '..', 'nginx.conf'], scandir($victim));

        unlink("$root/deploy");
        $answer = Program::run($init);
        self::assertSame(0, $answer->status, $answer->errors);
        self::assertSame(self::USER, posix_getpwuid((int) fileowner("$root/deploy/nginx.conf"))['name'] ?? '');
    }
}
