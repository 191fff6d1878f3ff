<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

final class DokuWikiTest extends ApplicationTestCase
{
    public function test_the_same_wiki_is_kept_and_read(): void
    {
        self::assertSameWalk(new DokuWiki(), static function (Browser $browser): void {
            $walk = new DokuWikiWalk($browser);
            $walk->keep();
            $walk->read();
        });
    }
}
