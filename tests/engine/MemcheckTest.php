<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Realms live and die under valgrind. USE_ZEND_ALLOC=0: every allocation of PHP is one that valgrind sees.
 */
final class MemcheckTest extends TestCase
{
    private const VALGRIND = [
        'valgrind',
        '--quiet',
        '--error-exitcode=9',
        '--leak-check=full',
        '--errors-for-leak-kinds=definite',
        '--num-callers=30',
        '--suppressions=' . __DIR__ . '/../valgrind.supp',
    ];

    #[TestWith(['classic', 'classic.php', 'n=%d'])]
    #[TestWith(['worker', 'worker.php', 'do=session&n=%d'])]
    #[TestWith(['worker', 'worker.php', 'do=exit'])]
    #[TestWith(['worker', 'worker.php', 'do=throw'])]
    #[TestWith(['classic', 'wait.php', 'way=poll'])]
    #[TestWith(['classic', 'folder.php', 'n=%d'])]
    public function testValgrindFindsNothing(string $mode, string $script, string $query): void
    {
        $run = Runner::run($script, [
            "--mode={$mode}",
            '--quiet',
            '--requests=40',
            '--at-once=8',
            '--max-requests=3',
            '--chaos=5',
            "--query={$query}",
        ], self::VALGRIND, ['USE_ZEND_ALLOC' => '0']);
        self::assertSame(0, $run->exit, substr($run->err, 0, 6000));
    }
}
