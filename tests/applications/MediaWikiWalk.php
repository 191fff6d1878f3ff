<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CURLFile;
use PHPUnit\Framework\Assert;

/** What the people of a MediaWiki do. */
final class MediaWikiWalk
{
    private const PICTURE = __DIR__ . '/../../docs/demo.png';

    public function __construct(private readonly Browser $browser)
    {
    }

    public function logIn(string $name, string $password): Page
    {
        $form = $this->browser->get('/index.php/Special:UserLogin');

        return $this->browser->submit($form, '//form[@name="userlogin"]', ['wpName' => $name, 'wpPassword' => $password]);
    }

    public function keep(): void
    {
        $browser = $this->browser;
        $browser->see('front page', $browser->get('/'))->assertSays('MediaWiki has been installed.');
        $browser->see('wrong password', $this->logIn('Keeper', 'wrong'))->assertSays('Incorrect username or password');
        $browser->see('logged in', $this->logIn('Keeper', MediaWiki::PASSWORD))->assertSays('"wgUserName":"Keeper"');
        $this->write('Camels', "== Gaits ==\nThey pace.\n\n== Riders ==\n'''Nobody''' falls off a [[Howdah]]. {{CURRENTYEAR}}");
        // Changes of one second come in any order.
        Browser::awaitSecond();
        $this->write('Howdahs', 'See [[Camels#Riders]].');
        Browser::awaitSecond();
        $upload = $browser->submit($browser->get('/index.php/Special:Upload'), '//form[@id="mw-upload-form"]', [
            'wpUploadFile' => new CURLFile(self::PICTURE, 'image/png', 'demo.png'),
            'wpDestFile' => 'Demo.png',
            'wpUploadDescription' => 'A demo.',
            'wpUpload' => 'Upload file',
        ]);
        $browser->see('uploaded', $upload)->assertSays('File:Demo.png', 'A demo.');
        $picture = $browser->get($upload->find('~href="(/images/\w/\w\w/Demo\.png)[^"]*"~'));
        Assert::assertStringEqualsFile(self::PICTURE, $browser->see('picture', $picture)->body);
        $pages = ['SpecialPages', 'RecentChanges', 'Preferences', 'Watchlist', 'AllPages', 'Version', 'UserRights'];
        foreach ($pages as $name) {
            $browser->see("special: $name", $browser->get("/index.php/Special:$name"))->assertSays('Wiki of camels');
        }
        $out = $browser->submit($browser->get('/index.php/Special:UserLogout'), '//form[@method="post"]', []);
        $browser->see('logged out', $out)
            ->assertSays('You are now logged out.');
    }

    /** Writes a page with the form. */
    public function write(string $title, string $text): void
    {
        $form = $this->browser->get("/index.php?title=" . rawurlencode($title) . "&action=edit");
        $fields = ['wpTextbox1' => $text, 'wpSummary' => "about $title", 'wpSave' => 'Save page'];
        $page = $this->browser->see("written: $title", $this->browser->submit($form, '//form[@id="editform"]', $fields));
        $page->assertSays('"wgPageName":"' . strtr($title, ' ', '_') . '"');
    }

    public function read(): void
    {
        $browser = $this->browser;
        $browser->see('page', $browser->get('/index.php/Camels'))->assertSays('falls off a', 'Gaits');
        $browser->see('page by parameter', $browser->get('/index.php?title=Camels'))->assertSays('falls off a');
        $browser->see('search', $browser->get('/index.php?title=Special:Search&search=pace&fulltext=1'))->assertSays('Camels');
        $browser->see('raw', $browser->get('/index.php/Camels?action=raw'))->assertSays("'''Nobody'''");
        $browser->see('history', $browser->get('/index.php?title=Camels&action=history'))->assertSays('about Camels');
        $browser->see('no such page', $browser->get('/index.php/No_such_page'))->assertStatus(404);
        $browser->see('letters', $browser->get('/index.php/' . rawurlencode('Kamel & Sänfte?/x')))->assertStatus(404);
        $styles = '/load.php?lang=en&modules=site.styles|skins.vector.styles.legacy&only=styles&skin=vector';
        $browser->see('styles', $browser->get($styles))->assertSays('.mw-body');
        $browser->see('scripts', $browser->get('/load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector'))
            ->assertSays('mw.loader');
        $api = '/api.php?format=json&action=query&prop=revisions&rvprop=content&rvslots=main&titles=Camels|Howdahs';
        $browser->see('API', $browser->get($api))->assertSays('See [[Camels#Riders]].');
        $browser->see('API, an error', $browser->get('/api.php?format=json&action=nothing'))->assertSays('badvalue');
        $browser->see('REST, a path', $browser->get('/rest.php/v1/page/Camels'))->assertSays('"title":"Camels"');
        $browser->see('REST, no such path', $browser->get('/rest.php/v1/camel/Page'))->assertStatus(404);
        $browser->see('feed', $browser->get('/index.php?title=Special:RecentChanges&feed=atom'))->assertSays('<feed');
        $browser->see('thumbnail', $browser->get('/thumb.php?f=Demo.png&width=120'))->assertStatus(200);
        $browser->see('forbidden script', $browser->get('/maintenance/install.php'))->assertStatus(403);
    }
}
