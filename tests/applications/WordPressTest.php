<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

final class WordPressTest extends ApplicationTestCase
{
    public function test_the_same_site_is_made_written_and_read(): void
    {
        self::assertSameWalk(new WordPress(), static function (Browser $browser, Stack $stack): void {
            $walk = new WordPressWalk($browser, $stack);
            $walk->install();
            $walk->administrate();
            $walk->write('Camels and howdahs', 'Nobody falls off.');
            $walk->upload('demo.png');
            $walk->logOut();
            $walk->readAsVisitor();
        });
    }

    public function test_nothing_that_is_uploaded_is_run(): void
    {
        self::assertSameWalk(new WordPress(), static function (Browser $browser, Stack $stack): void {
            $folder = WordPress::site($stack) . '/wp-content/uploads';
            if (!is_dir($folder)) {
                mkdir($folder);
            }
            file_put_contents("$folder/run.php", '<?php echo "it ", "runs";');
            file_put_contents("$folder/picture.png", '<?php echo "it ", "runs";');
            foreach (['run.php', 'run.php/a', 'run.php/a.png', 'picture.png/a.php'] as $name) {
                $browser->see($name, $browser->get("/wp-content/uploads/$name"))
                    ->assertStatus(403)->assertSilentOn('it runs', '<?php');
            }
            $browser->see('a picture', $browser->get('/wp-content/uploads/picture.png'))->assertSays('<?php');
        });
    }
}
