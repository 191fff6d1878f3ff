<?php

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Data\Ledger;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Server\Running;
use Howdah\Cli\RuntimeFolder;

/** A server that goes wrong at its Nth answer in one way (fake.php), or is not there at all. */
final class FakeServer extends Running
{
    public function __construct(
        private readonly string $fault = 'none',
        private readonly int $from = 0,
        private readonly ?string $missing = null,
        private readonly string $book = '/dev/null',
        private readonly string $right = 'right',
    ) {
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

        return [Process::start('fake', $command, $folder, ['FAKE_RIGHT' => $this->right])];
    }
}
