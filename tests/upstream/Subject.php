<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

/** What a part of nginx's tests is about: a server block, and what is asked of it. */
interface Subject
{
    /** What stands in the server block. "{pass}" hands a location to site/upstream.php, in the mode under test; "{plain}" without a howdah_param; "{www}" is a folder with page.html. */
    public static function locations(): string;

    /** @return iterable<string, Exchange> */
    public static function exchanges(): iterable;
}
