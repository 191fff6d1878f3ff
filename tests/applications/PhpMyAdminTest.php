<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

final class PhpMyAdminTest extends ApplicationTestCase
{
    public function test_the_same_databases_are_kept_and_read(): void
    {
        self::assertSameWalk(new PhpMyAdmin(), static function (Browser $browser): void {
            $walk = new PhpMyAdminWalk($browser);
            $walk->administrate();
            $walk->read();
        });
    }
}
