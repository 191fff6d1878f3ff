<?php

/** bench counts: what is growth, what is not compared, and that a wrong answer is no count. */

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Counts\Counter;
use Howdah\Bench\Counts\Counts;
use Howdah\Bench\Counts\Page;
use Howdah\Bench\Counts\World;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Cli\Failure;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class CountsTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-counts-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        rmdir($this->folder);
    }

    /** @return array<string, array{array<string, array<string, int>>, list<string>, list<string>}> what is counted; grown; told */
    public static function changes(): array
    {
        $page = 'a page, worker mode';
        $what = "$page: instructions of user code for one request";

        return [
            'the same' => [[$page => ['instructions' => 100_000]], [], []],
            'one per cent more' => [
                [$page => ['instructions' => 101_000]],
                [],
                ["$what: 101,000, kept are 100,000 (+1.0 %)"],
            ],
            'three per cent more' => [
                [$page => ['instructions' => 103_000]],
                ["$what: 103,000, kept are 100,000 (+3.0 %)"],
                [],
            ],
            'less' => [[$page => ['instructions' => 50_000]], [], ["$what: 50,000, kept are 100,000 (-50.0 %)"]],
            'another kind' => [
                [$page => ['instructions' => 100_000, 'system calls' => 1]],
                ["$page: system calls for one request: not kept yet"],
                [],
            ],
            'a page that is gone' => [[], ["$what: kept, and not counted"], []],
        ];
    }

    /**
     * @param array<string, array<string, int>> $counted
     * @param list<string>                      $grown
     * @param list<string>                      $told
     */
    #[DataProvider('changes')]
    public function test_growth_is_more_than_two_per_cent(array $counted, array $grown, array $told): void
    {
        $world = new World(['PHP' => '8.2.36']);
        (new Counts($world, ['a page, worker mode' => ['instructions' => 100_000]]))->write("$this->folder/counts.json");
        $kept = Counts::read("$this->folder/counts.json");

        self::assertNotNull($kept);
        self::assertSame([$grown, $told], (new Counts($world, $counted))->changes($kept));
    }

    public function test_counts_of_another_world_are_named(): void
    {
        $here = new World(['PHP' => '8.2.37', 'valgrind' => '3.19.0']);
        $kept = new World(['PHP' => '8.2.36', 'valgrind' => '3.19.0']);

        self::assertSame([], $here->differences($here));
        self::assertSame(['PHP: 8.2.37 is here, the counts are of 8.2.36'], $here->differences($kept));
        self::assertSame('8.2', $here->series());
    }

    /** Of a package of this checkout Composer tells the branch. */
    public function test_the_name_of_the_branch_is_no_other_world(): void
    {
        $of = function (string $branch, string $version): string {
            $packages = [
                ['name' => 'howdah/psr15', 'version' => $branch, 'dist' => ['type' => 'path']],
                ['name' => 'slim/slim', 'version' => $version, 'dist' => ['type' => 'zip']],
            ];
            file_put_contents("$this->folder/installed.json", json_encode(['packages' => $packages], JSON_THROW_ON_ERROR));

            return World::packages("$this->folder/installed.json");
        };
        self::assertSame($of('dev-main', '4.15.0'), $of('dev-next', '4.15.0'));
        self::assertNotSame($of('dev-main', '4.15.0'), $of('dev-main', '4.15.1'));
    }

    public function test_a_file_without_counts_is_refused(): void
    {
        self::assertNull(Counts::read("$this->folder/counts.json"));
        file_put_contents("$this->folder/counts.json", '{"world": {}, "counts": {"a page": {"instructions": "many"}}}');
        $this->expectException(Failure::class);
        $this->expectExceptionMessage('a page, instructions is no count: write it anew with `bench/run counts --write`');
        Counts::read("$this->folder/counts.json");
    }

    public function test_only_what_is_between_the_two_words_is_counted(): void
    {
        $said = <<<'END'
            SYSCALL[7,1](2) sys_open ( x )[sync] --> Success(0x3)
            howdah-run: the count begins
            SYSCALL[7,1](1) ... [async] --> Success(0x1d)
            SYSCALL[7,1]( 81) sys_fchdir ( 9 )[sync] --> Success(0x0)
            SYSCALL[7,1]( 81) sys_fchdir ( 6 )[sync] --> Success(0x0)
            SYSCALL[7,1](1) sys_write ( 2, 0x4, 27 ) --> [async] ...
            howdah-run: the count ends
            SYSCALL[7,1](3) sys_close ( 3 )[sync] --> Success(0x0)
            ==7== Collected : 2001
            END;

        self::assertSame(['instructions' => 1000, 'system calls' => 1], $this->counter($said, 0)->count($this->page()));
    }

    public function test_a_wrong_answer_is_no_count(): void
    {
        $this->expectException(WrongAnswer::class);
        $this->expectExceptionMessage('a page, classic mode: howdah-run ended with exit status 1: howdah-run: 2 answers, 1');
        $this->counter('howdah-run: 2 answers, 1 wrong', 1)->count($this->page());
    }

    public function test_who_tells_no_count_has_none(): void
    {
        $this->expectException(Failure::class);
        $this->expectExceptionMessage('a page, classic mode: valgrind told no count');
        $this->counter('==7== Collected : 2001', 0)->count($this->page());
    }

    private function page(): Page
    {
        return new Page('a page', 'classic', '/a/page.php', ['--expect=a page'], 1, 2);
    }

    /** With a valgrind that says this and ends so. */
    private function counter(string $said, int $status): Counter
    {
        file_put_contents("$this->folder/said", "$said\n");
        file_put_contents("$this->folder/valgrind", "#!/bin/sh\ncat '$this->folder/said' >&2\nexit $status\n");
        chmod("$this->folder/valgrind", 0755);

        return new Counter("$this->folder/valgrind", '/no/howdah-run', '', $this->folder);
    }
}
