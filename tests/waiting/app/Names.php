<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** The names that the component SlowDns knows (peers/dns.php), complete: the resolver asks once. */
final class Names
{
    /** Nobody answers. */
    public const NEVER = 'never.howdah.test.';

    /** A name that is told late. */
    public static function slow(float $seconds): string
    {
        return 'slow' . (int) round($seconds * 1000) . '.howdah.test.';
    }
}
