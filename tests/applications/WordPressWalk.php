<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CURLFile;
use CURLStringFile;
use PHPUnit\Framework\Assert;

/** What the people of a WordPress do. */
final class WordPressWalk
{
    private const PICTURE = __DIR__ . '/../../docs/demo.png';
    public const AUTHORS = 4;

    public function __construct(private readonly Browser $browser, private readonly Stack $stack)
    {
    }

    /** The owner's first day. */
    public function install(): void
    {
        $browser = $this->browser;
        $browser->see('not installed', $browser->get('/'))->assertSays('Site Title');
        $installed = $browser->submit($browser->get('/wp-admin/install.php?step=1'), '//form[@id="setup"]', [
            'weblog_title' => 'The Howdah Gazette',
            'user_name' => 'owner',
            'admin_password' => 'a long password',
            'admin_password2' => 'a long password',
            'admin_email' => 'owner@wordpress.test',
            'Submit' => 'Install WordPress',
        ]);
        $browser->see('installed', $installed)->assertSays('Success!');
        $browser->see('front page', $browser->get('/'))->assertSays('The Howdah Gazette', 'Hello world!');
        $mail = (string) file_get_contents("{$this->stack->folder}/sessions/mail");
        Assert::assertStringContainsString('owner@wordpress.test', $mail);
    }

    public function logIn(string $name, string $password): Page
    {
        $form = $this->browser->get('/wp-login.php');

        return $this->browser->submit($form, '//form[@id="loginform"]', ['log' => $name, 'pwd' => $password]);
    }

    public function administrate(): void
    {
        $browser = $this->browser;
        $browser->see('not logged in', $browser->get('/wp-admin/options-general.php'))->assertSays('loginform');
        $browser->see('wrong password', $this->logIn('owner', 'wrong'))->assertSays('incorrect');
        $browser->see('logged in', $this->logIn('owner', 'a long password'))->assertSays('Dashboard', 'Howdy, ');
        $this->namePages();
        $this->makeAuthors();
        $pages = ['index', 'edit', 'upload', 'edit-comments', 'themes', 'plugins', 'users', 'tools', 'options-general',
            'options-reading', 'options-media', 'profile', 'post-new', 'export', 'site-health', 'edit-tags'];
        foreach ($pages as $name) {
            $browser->see("admin: $name", $browser->get("/wp-admin/$name.php"))->assertSays('The Howdah Gazette');
        }
        $browser->see('an export', $browser->get('/wp-admin/export.php?download=true&content=all'))
            ->assertSays('<wp:author_login>');
    }

    /** Pages are called by their titles. */
    public function namePages(): void
    {
        $browser = $this->browser;
        $links = $browser->get('/wp-admin/options-permalink.php');
        $names = ['selection' => '/%postname%/', 'permalink_structure' => '/%postname%/'];
        $saved = $browser->submit($links, '//form[@name="form"]', $names);
        $browser->see('permalinks', $saved)->assertSays('Permalink structure updated.');
    }

    /** Each with a form of the owner's, who is logged in. */
    public function makeAuthors(): void
    {
        $browser = $this->browser;
        foreach (range(1, self::AUTHORS) as $number) {
            $page = $browser->submit($browser->get('/wp-admin/user-new.php'), '//form[@id="createuser"]', [
                'user_login' => "author$number",
                'email' => "author$number@wordpress.test",
                'first_name' => "Author",
                'last_name' => "Number $number",
                'pass1' => "secret of author $number",
                'pass2' => "secret of author $number",
                'pw_weak' => 'on',
                'role' => 'author',
                'createuser' => 'Add New User',
            ]);
            $browser->see("author $number", $page)->assertSays('New user created.');
        }
    }

    /** Writes a post through the REST interface, as the editor does. */
    public function write(string $title, string $text): int
    {
        $page = $this->browser->get('/wp-admin/post-new.php');
        $nonce = $page->find('~wp.apiFetch.createNonceMiddleware\( "([0-9a-f]+)" \)~');
        $post = json_encode(['title' => $title, 'content' => "<!-- wp:paragraph --><p>$text</p><!-- /wp:paragraph -->",
            'status' => 'publish'], JSON_THROW_ON_ERROR);
        $headers = ["X-WP-Nonce: $nonce", 'Content-Type: application/json'];
        $made = $this->browser->post('/index.php?rest_route=/wp/v2/posts', $post, $headers);
        $this->browser->see("written: $title", $made)->assertStatus(201);
        $id = $made->json()['id'] ?? null;
        Assert::assertIsInt($id);

        return $id;
    }

    /** @return array<array-key, mixed> the attachment */
    public function upload(string $name, ?CURLStringFile $file = null): array
    {
        $form = $this->browser->get('/wp-admin/media-new.php');
        $nonce = $form->find('~"_wpnonce":"([0-9a-f]+)"~');
        $answer = $this->browser->post('/wp-admin/async-upload.php', [
            'name' => $name,
            'action' => 'upload-attachment',
            '_wpnonce' => $nonce,
            'async-upload' => $file ?? new CURLFile(self::PICTURE, 'image/png', $name),
        ]);
        $this->browser->see("uploaded: $name", $answer)->assertStatus(200);

        return $answer->json();
    }

    public function readAsVisitor(): void
    {
        $browser = $this->browser;
        $browser->see('post', $browser->get('/camels-and-howdahs/'))->assertSays('Camels and howdahs', 'Nobody falls off.');
        $browser->see('search', $browser->get('/?s=howdahs'))->assertSays('Camels and howdahs');
        $browser->see('search for nothing', $browser->get('/?s=dromedary'))->assertSays('dromedary');
        $browser->see('feed', $browser->get('/feed/'))->assertSays('<rss', 'Camels and howdahs');
        $browser->see('posts by REST', $browser->get('/wp-json/wp/v2/posts'))->assertSays('"camels-and-howdahs"');
        $browser->see('author', $browser->get('/author/owner/'))->assertSays('Camels and howdahs');
        $browser->see('a path after the script', $browser->get('/index.php/camels-and-howdahs/'))
            ->assertSays('Nobody falls off.');
        $browser->see('no such page', $browser->get('/no-such-page/'))->assertStatus(404);
        $browser->see('no such script', $browser->get('/no-such-script.php'))->assertStatus(404);
        $browser->see('no such script, a path', $browser->get('/no-such-script.php/a/b'))->assertStatus(404);
        $browser->see('no script, called one', $browser->get('/readme.html/x.php'))->assertStatus(404);
        $browser->see('a folder without index', $browser->get('/wp-includes/'))->assertStatus(403);
        $browser->see('a folder', $browser->get('/wp-admin'))->assertSays('loginform');
        $browser->see('a static file', $browser->get('/wp-includes/css/dashicons.css'))->assertSays('.dashicons');
        $calls = '<methodCall><methodName>wp.getPosts</methodName><params><param><value><int>1</int></value></param>'
            . '<param><value>author1</value></param><param><value>secret of author 1</value></param></params></methodCall>';
        $browser->see('XML-RPC', $browser->post('/xmlrpc.php', $calls, ['Content-Type: text/xml']))
            ->assertSays('methodResponse');
        $comment = $browser->submit($browser->get('/camels-and-howdahs/'), '//form[@id="commentform"]', [
            'comment' => 'I fell off.',
            'author' => 'A visitor',
            'email' => 'visitor@wordpress.test',
        ]);
        $browser->see('comment', $comment)->assertSays('awaiting moderation');
        $browser->see('cron', $browser->get('/wp-cron.php?doing_wp_cron'))->assertStatus(200);
    }

    public function logOut(): void
    {
        $link = $this->browser->get('/wp-admin/')->find('~href=["\']([^"\']*action=logout[^"\']*)["\']~');
        $this->browser->see('logged out', $this->browser->get(html_entity_decode($link)))
            ->assertSays('You are now logged out.');
        $this->browser->see('no admin any more', $this->browser->get('/wp-admin/'))->assertSays('loginform');
    }
}
