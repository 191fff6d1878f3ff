<?php

declare(strict_types=1);

namespace Howdah\Bench\Machine;

use Howdah\Cli\Failure;
use Howdah\Cli\Program;

/** How many connections this process, and those that it starts, may have open. */
final readonly class Descriptors
{
    /** Of this process beside those of its connections. */
    private const OWN = 256;

    /** Raises the limit where it is too low; throws Failure when it cannot. */
    public static function allow(int $connections, string $suite): void
    {
        $needed = $connections + self::OWN;
        $limits = posix_getrlimit() ?: [];
        if (($limits['soft openfiles'] ?? 0) === 'unlimited' || ($limits['soft openfiles'] ?? 0) >= $needed) {
            return;
        }
        $told = Program::run(['prlimit', '--pid=' . getmypid(), "--nofile=$needed:"]);
        if ($told->status !== 0) {
            throw new Failure("$suite needs $needed open descriptors: raise the limit (ulimit -n): $told->errors");
        }
    }
}
