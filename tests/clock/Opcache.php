<?php

declare(strict_types=1);

namespace Howdah\Tests;

/** How opcache is loaded where no settings of the machine's are read. */
final class Opcache
{
    /** @return list<string> lines of a php.ini; since PHP 8.5 it is a part of PHP, and nothing loads it */
    public static function settings(): array
    {
        return PHP_VERSION_ID < 80500 ? ['zend_extension=opcache'] : [];
    }
}
