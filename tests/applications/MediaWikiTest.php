<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

final class MediaWikiTest extends ApplicationTestCase
{
    public function test_the_same_wiki_is_kept_and_read(): void
    {
        self::assertSameWalk(new MediaWiki(), static function (Browser $browser): void {
            $walk = new MediaWikiWalk($browser);
            $walk->keep();
            $walk->read();
        });
    }
}
