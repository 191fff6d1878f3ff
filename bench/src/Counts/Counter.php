<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

use Howdah\Bench\Load\WrongAnswer;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/**
 * Counts by howdah-run, one realm and one request at a time: instructions and system calls under valgrind, of warm requests
 * only, and what realms have beside the first one.
 *
 * Nothing is left to chance: time stands still (counts/still.c), PHP has settings of its own (counts/php.ini), the environment
 * is empty, and the C library takes the functions that each processor has, of which none counts a byte as an instruction (as
 * `rep stosb` does).
 */
final readonly class Counter
{
    private const TUNABLES = 'GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-ERMS,-FSRM';

    /** So many that pages which one of them happens to have are no more than half of a per cent. */
    private const REALMS = 65;

    /** The kernel takes pages back when it likes: what is there without that is the largest of so many. */
    private const LOOKS = 3;

    /** @param string $settings the folder with the php.ini */
    public function __construct(
        private string $valgrind,
        private string $runner,
        private string $still,
        private string $settings,
    ) {
    }

    /** @return array<string, int> by the kind's value */
    public function count(Page $page): array
    {
        $counts = $this->ofRequest($page);
        if ($page->hasRealmOfItsOwn()) {
            $most = fn (int $realms): int => max(array_map(
                fn (): int => $this->kilobytes($page, $realms),
                range(1, self::LOOKS),
            ));
            $more = $most(self::REALMS) - $most(1);
            $counts[Kind::Kilobytes->value] = (int) round($more / (self::REALMS - 1));
        }

        return $counts;
    }

    /** @return array<string, int> */
    private function ofRequest(Page $page): array
    {
        $requests = $page->served + $page->counted;
        $callgrind = ['--tool=callgrind', '--instr-atstart=no', '--callgrind-out-file=/dev/null', '--trace-syscalls=yes'];
        $options = ['--quiet', "--requests=$requests", "--count=$page->counted", '--warm=1', '--realms=1', ...$page->request];
        $said = $this->run($page, [$this->valgrind, ...$callgrind], $options);
        $between = '/^howdah-run: the count begins$(.*)^howdah-run: the count ends$/ms';
        if (preg_match($between, $said, $inside) !== 1 || preg_match('/Collected : (\d+)$/m', $said, $collected) !== 1) {
            throw new Failure("{$page->title()}: valgrind told no count: " . substr($said, -1000));
        }
        // What is written is the words between which is counted.
        $calls = preg_match_all('/^SYSCALL\[\d+,\d+\]\( *\d+\) sys_(?!write \( 2,)/m', $inside[1]);

        return [
            Kind::Instructions->value => intdiv((int) $collected[1], $page->counted),
            Kind::SystemCalls->value => (int) round((int) $calls / $page->counted),
        ];
    }

    private function kilobytes(Page $page, int $realms): int
    {
        $told = $this->run($page, [], ['--memory', "--warm=$realms", "--realms=$realms", '--requests=0']);
        if (preg_match("/^warm realms=$realms us=\d+ private_kb=(\d+)$/m", $told, $match) !== 1) {
            throw new Failure("{$page->title()}: howdah-run told no memory of $realms realms: $told");
        }

        return (int) $match[1];
    }

    /**
     * @param list<string> $before  what runs howdah-run
     * @param list<string> $options
     */
    private function run(Page $page, array $before, array $options): string
    {
        $mode = ["--mode=$page->mode", ...($page->rewinds ? ['--rewind'] : [])];
        $settings = ["--php-ini=$this->settings", '--slice=0', ...$mode];
        $environment = ['/usr/bin/env', '-i', 'PATH=/usr/bin:/bin', self::TUNABLES, "LD_PRELOAD=$this->still"];
        $done = Program::run([...$environment, ...$before, $this->runner, ...$settings, ...$options, $page->script], '/');
        if ($done->status !== 0 || str_contains($done->errors, 'cannot be rewound')) {
            throw new WrongAnswer("{$page->title()}: howdah-run ended with exit status $done->status: "
                . substr($done->output . $done->errors, -1000));
        }

        return "$done->output\n$done->errors";
    }
}
