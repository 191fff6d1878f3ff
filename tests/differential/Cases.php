<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

/** Questions about one subject, each with a name of small letters, digits and hyphens. */
interface Cases
{
    /** @return iterable<string, Question> by name */
    public static function all(): iterable;
}
