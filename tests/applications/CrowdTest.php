<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CURLStringFile;
use PHPUnit\Framework\Attributes\DataProvider;

/** The users of all applications at once, in one worker process: each is who he is, and finds what he wrote. */
final class CrowdTest extends ApplicationTestCase
{
    private const USERS = WordPressWalk::AUTHORS;

    /**
     * Who switches everywhere does so where they wait, too.
     *
     * @return array<string, array{int}>
     */
    public static function seeds(): array
    {
        $everywhere = ['switching everywhere' => [20261121]];

        return getenv('HOWDAH_LONG') ? $everywhere + ['switching where they wait' => [0]] : $everywhere;
    }

    #[DataProvider('seeds')]
    public function test_each_sees_his_own(int $seed): void
    {
        $stack = new HowdahStack(self::applications(), $seed);
        try {
            $stack->start();
            $owner = new WordPressWalk($stack->browser(new WordPress()), $stack);
            $owner->install();
            $owner->logIn('owner', 'a long password');
            $owner->namePages();
            $owner->makeAuthors();
            // The month's folder: of two that make it at once one is refused, under every server (wp_mkdir_p()).
            $owner->upload('first.txt', new CURLStringFile('The first file.', 'first.txt', 'text/plain'));
            // Who comes first computes for seconds what the wiki keeps: its texts, its modules. Not eight of them at once.
            $stack->browser(new MediaWiki())->get('/index.php/Special:CreateAccount')->assertSays('userlogin2');
            $walks = [];
            foreach (range(1, self::USERS) as $number) {
                $walks[] = fn () => $this->blog($stack, $number);
                $walks[] = fn () => $this->editWiki($stack, $number);
                $walks[] = fn () => $this->editFiles($stack, $number);
                $walks[] = fn () => $this->lookIntoDatabase($stack, $number);
            }
            $done = Crowd::walk($walks);
            self::assertSame(array_fill(0, count($walks), true), $done);
            self::assertStringNotContainsString('exited', $stack->log());
        } finally {
            $stack->stop();
        }
    }

    private function blog(Stack $stack, int $number): bool
    {
        $browser = $stack->browser(new WordPress());
        $walk = new WordPressWalk($browser, $stack);
        $walk->logIn("author$number", "secret of author $number")->assertSays("Author Number $number");
        $id = $walk->write("Post of $number", "Written by the author with number $number.");
        $browser->get("/wp-admin/post.php?post=$id&action=edit")->assertSays("Post of $number");
        $text = "The file of author $number.";
        $file = $walk->upload("of-$number.txt", new CURLStringFile($text, "of-$number.txt", 'text/plain'))['data'] ?? null;
        self::assertIsArray($file);
        self::assertIsString($file['url'] ?? null, (string) json_encode($file));
        self::assertSame($text, $browser->get($file['url'])->body);
        $others = $this->others('Author Number %d', $number);
        foreach (['profile', 'index', 'edit'] as $page) {
            $browser->get("/wp-admin/$page.php")
                ->assertSays("Author Number $number")->assertSilentOn(...($page === 'edit' ? [] : $others));
        }
        $browser->get("/post-of-$number/")->assertSays("author with number $number.", "Author Number $number");
        $browser->get("/?s=number+$number.")->assertSays("Post of $number");
        $walk->logOut();

        return true;
    }

    private function editWiki(Stack $stack, int $number): bool
    {
        $browser = $stack->browser(new MediaWiki());
        $walk = new MediaWikiWalk($browser);
        $password = "the secret of wiki user $number";
        $form = $browser->get('/index.php/Special:CreateAccount');
        $account = ['wpName' => "Rider $number", 'wpPassword' => $password, 'retype' => $password];
        $browser->submit($form, '//form[@name="userlogin2"]', $account)
            ->assertSays("\"wgUserName\":\"Rider $number\"");
        foreach (range(1, 2) as $round) {
            $walk->write("Camel $number $round", "The camel of rider $number, '''round $round'''.");
            $browser->get("/index.php/Camel_{$number}_$round")->assertSays("The camel of rider $number, <b>round $round</b>");
            $browser->get('/index.php/Special:Preferences')->assertSays("\"wgUserName\":\"Rider $number\"")
                ->assertSilentOn(...$this->others('Rider %d', $number));
        }
        $browser->get("/api.php?format=json&action=query&meta=userinfo")->assertSays("\"name\":\"Rider $number\"");

        return true;
    }

    private function editFiles(Stack $stack, int $number): bool
    {
        $browser = $stack->browser(new DokuWiki());
        $walk = new DokuWikiWalk($browser);
        $walk->logIn("user$number", "secret of user $number")->assertSays("The user$number");
        foreach (range(1, 3) as $round) {
            $page = $walk->write("page{$number}x$round", "The **page** of user $number, round $round.", "by user $number");
            $page->assertSays("<strong>page</strong> of user $number, round $round.", "The user$number");
            $browser->get("/doku.php/page{$number}x$round?do=profile")->assertSays("user$number@dokuwiki.test")
                ->assertSilentOn(...$this->others('user%d@dokuwiki.test', $number));
        }

        return true;
    }

    private function lookIntoDatabase(Stack $stack, int $number): bool
    {
        $browser = $stack->browser(new PhpMyAdmin());
        $walk = new PhpMyAdminWalk($browser);
        $walk->logIn("user$number", "secret$number")->assertSays("user$number@localhost");
        $others = $this->others('the thing of %d', $number);
        foreach (range(1, 3) as $round) {
            $statement = "UPDATE things SET name = CONCAT(name, ', $round') WHERE id = 1";
            $walk->ask("changed $round", '/import', ['db' => "box$number", 'sql_query' => $statement], '1 row affected.');
            $browser->get("/index.php?route=/sql&db=box$number&table=things&pos=0")
                ->assertSays("the thing of $number, " . implode(', ', range(1, $round)))->assertSilentOn(...$others);
        }

        return true;
    }

    /** @return list<string> what the others would see */
    private function others(string $format, int $number): array
    {
        $numbers = array_values(array_diff(range(1, self::USERS), [$number]));

        return array_map(static fn (int $other): string => sprintf($format, $other), $numbers);
    }
}
