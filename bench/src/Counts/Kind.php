<?php

declare(strict_types=1);

namespace Howdah\Bench\Counts;

/** What is counted; the value is its name in the file. */
enum Kind: string
{
    case Instructions = 'instructions';
    case SystemCalls = 'system calls';
    case Kilobytes = 'KiB of a realm';

    public function describe(): string
    {
        return match ($this) {
            self::Instructions => 'instructions of user code for one request',
            self::SystemCalls => 'system calls for one request',
            self::Kilobytes => 'KiB that one more realm has',
        };
    }
}
