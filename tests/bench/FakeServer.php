<?php

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Server\Running;
use Howdah\Cli\RuntimeFolder;
use Howdah\Tests\Clock;

/** A server that goes wrong at its Nth answer in one way (fake.php), or is not there at all. */
final class FakeServer extends Running
{
    private readonly string $mark;

    public function __construct(
        private readonly string $fault = 'none',
        private readonly int $from = 0,
        private readonly ?string $missing = null,
        private readonly string $book = '/dev/null',
        private readonly string $right = 'right',
    ) {
        $this->mark = sys_get_temp_dir() . '/howdah-fake-' . bin2hex(random_bytes(6));
    }

    public function __destruct()
    {
        @unlink($this->mark);
    }

    /**
     * Why its fault may not have been seen, on a machine that is slow or stood still: it was not asked so often that it went
     * wrong, or nobody was answered while it was measured. Null where there is no such reason.
     *
     * @param list<string> $said of it
     */
    public function unseen(array $said): ?string
    {
        $told = $said === [] ? 'nothing is said of it' : implode('; ', $said);
        if ($this->fault !== 'none' && !is_file($this->mark)) {
            return "it was asked too seldom to go wrong ($this->fault from $this->from on): $told";
        }
        $unseen = '/no request was answered under load|not all of \d+ requests were under way/';

        return $this->fault !== 'die' && preg_match($unseen, $told) === 1 ? $told : null;
    }

    /**
     * Fails as Late where its fault may not have been seen.
     *
     * @param list<string> $said of it
     */
    public function lateWhereSlow(array $said): void
    {
        $unseen = $this->unseen($said);
        if ($unseen !== null) {
            Clock::late($unseen);
        }
    }

    /** Of what a fake has written into this book. */
    public static function ledger(string $book): Ledger
    {
        return new Ledger(['bytes in the book' => static function () use ($book): int {
            clearstatcache();

            return (int) filesize($book);
        }]);
    }

    public function missing(): ?string
    {
        return $this->missing;
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        $command = [PHP_BINARY, '-n', __DIR__ . '/fake.php', (string) $port, $this->fault, (string) $this->from, $this->book];

        return [Process::start('fake', $command, $folder, ['FAKE_RIGHT' => $this->right, 'FAKE_MARK' => $this->mark])];
    }
}
