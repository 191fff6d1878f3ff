<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\NginxString;
use PHPUnit\Framework\TestCase;

final class NginxStringTest extends TestCase
{
    public function test_quotes_and_backslashes_are_escaped(): void
    {
        self::assertSame('"/srv/my \"app\" \\\\n; {}"', NginxString::literal('/srv/my "app" \\n; {}'));
    }

    public function test_a_dollar_sign_is_kept_from_becoming_a_variable(): void
    {
        self::assertSame('"/srv/${howdah_dollar}host"', NginxString::withoutVariables('/srv/$host'));
    }
}
