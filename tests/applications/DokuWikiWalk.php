<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CURLFile;
use PHPUnit\Framework\Assert;

/** What the people of a DokuWiki do. */
final class DokuWikiWalk
{
    private const PICTURE = __DIR__ . '/../../docs/demo.png';

    public function __construct(private readonly Browser $browser)
    {
    }

    public function logIn(string $name, string $password): Page
    {
        $form = $this->browser->get('/doku.php/start?do=login');

        return $this->browser->submit($form, '//form[@id="dw__login"]', ['u' => $name, 'p' => $password]);
    }

    public function keep(): void
    {
        $browser = $this->browser;
        $browser->see('front page', $browser->get('/'))->assertSays('Wiki of files', 'This topic does not exist yet');
        $browser->see('may not edit', $browser->get('/doku.php/camels?do=edit'))->assertSilentOn('name="do[save]"');
        $browser->see('wrong password', $this->logIn('keeper', 'wrong'))
            ->assertTells(403, 'Sorry, username or password was wrong.');
        $browser->see('logged in', $this->logIn('keeper', DokuWiki::PASSWORD))->assertSays('The keeper');
        $form = $browser->get('/doku.php/camels?do=edit');
        $text = "====== Camels ======\n**Nobody** falls off a [[howdah]].\n\n{{:zoo:demo.png}}\n";
        $fields = ['wikitext' => $text, 'summary' => 'first words'];
        $preview = $browser->submit($form, '//form[@id="dw__editform"]', $fields + ['do[preview]' => 'Preview']);
        $browser->see('preview', $preview)->assertSays('<strong>Nobody</strong>', 'name="do[save]"');
        $saved = $browser->submit($preview, '//form[@id="dw__editform"]', $fields + ['do[save]' => 'Save']);
        $browser->see('saved', $saved)->assertSays('<strong>Nobody</strong>');
        // Two revisions of one second are one.
        Browser::awaitSecond();
        $this->write('camels', "$text\nThey pace.\n", 'more');
        $manager = $browser->get('/lib/exe/mediamanager.php?ns=zoo');
        $picture = new CURLFile(self::PICTURE, 'image/png', 'demo.png');
        $upload = $browser->submit($manager, '//form[@id="dw__upload"]', ['upload' => $picture]);
        $browser->see('uploaded', $upload)->assertSays('Upload successful');
        $refused = new CURLFile(__FILE__, 'text/plain', 'script.php');
        $manager = $browser->get('/lib/exe/mediamanager.php?ns=zoo');
        $again = $browser->submit($manager, '//form[@id="dw__upload"]', ['upload' => $refused]);
        $browser->see('no script is taken', $again)->assertSays('forbidden');
        foreach (['acl', 'usermanager', 'config', 'extension', 'revert'] as $name) {
            $browser->see("admin: $name", $browser->get("/doku.php/start?do=admin&page=$name"))->assertSays('Wiki of files');
        }
        $token = $browser->get('/doku.php/camels')->find('~do=logout(?:&amp;|&)sectok=([0-9a-f]+)~');
        $browser->see('logged out', $browser->get("/doku.php/camels?do=logout&sectok=$token"))->assertSilentOn('The keeper');
    }

    /** Changes a page with the form. */
    public function write(string $page, string $text, string $summary): Page
    {
        $form = $this->browser->get("/doku.php/$page?do=edit");

        $fields = ['wikitext' => $text, 'summary' => $summary, 'do[save]' => 'Save'];

        return $this->browser->submit($form, '//form[@id="dw__editform"]', $fields);
    }

    public function read(): void
    {
        $browser = $this->browser;
        $browser->see('page', $browser->get('/doku.php/camels'))->assertSays('<strong>Nobody</strong>', 'They pace.');
        $browser->see('page by parameter', $browser->get('/doku.php?id=camels'))->assertSays('They pace.');
        $browser->see('page by rewriting', $browser->get('/camels'))->assertSays('They pace.');
        $browser->see('page in a namespace', $browser->get('/doku.php/wiki/syntax'))->assertSays('<title>wiki:syntax ');
        $browser->see('indexed', $browser->get('/lib/exe/taskrunner.php?id=camels'))->assertStatus(200);
        $browser->see('search', $browser->get('/doku.php/start?do=search&q=pace'))->assertSays('camels');
        $browser->see('search for nothing', $browser->get('/doku.php/start?do=search&q=dromedary'))
            ->assertSays('Nothing was found.');
        $browser->see('revisions', $browser->get('/doku.php/camels?do=revisions'))->assertSays('first words');
        $browser->see('recent', $browser->get('/doku.php/start?do=recent'))->assertSays('camels');
        $browser->see('index', $browser->get('/doku.php/start?do=index'))->assertSays('camels');
        $browser->see('raw', $browser->get('/doku.php/camels?do=export_raw'))->assertSays('**Nobody**');
        $browser->see('feed', $browser->get('/feed.php'))->assertSays('<rdf');
        $browser->see('styles', $browser->get('/lib/exe/css.php?t=dokuwiki'))->assertSays('.dokuwiki');
        $browser->see('scripts', $browser->get('/lib/exe/js.php?t=dokuwiki'))->assertSays('dw_');
        $picture = $browser->see('picture, a path', $browser->get('/lib/exe/fetch.php/zoo/demo.png'))->assertStatus(200);
        Assert::assertStringEqualsFile(self::PICTURE, $picture->body);
        $browser->see('a part', $browser->get('/lib/exe/fetch.php/zoo/demo.png', [], ['Range: bytes=100-199']))
            ->assertStatus(206);
        $tag = $picture->headers['etag'][0] ?? '';
        $browser->see('not modified', $browser->get('/lib/exe/fetch.php/zoo/demo.png', [], ["If-None-Match: $tag"]))
            ->assertStatus(304);
        $browser->see('no such picture', $browser->get('/lib/exe/fetch.php/zoo/none.png'))->assertStatus(404);
        $browser->see('details, a path', $browser->get('/lib/exe/detail.php/zoo/demo.png?id=camels'))->assertSays('demo.png');
        $browser->see('AJAX', $browser->post('/lib/exe/ajax.php', ['call' => 'qsearch', 'q' => 'camel']))->assertSays('camels');
        $browser->see('no such page', $browser->get('/doku.php/no/such/page'))->assertSays('This topic does not exist yet');
        $browser->see('no such script', $browser->get('/nothing.php/camels'))->assertStatus(404);
        $browser->see('its own code', $browser->get('/inc/init.php'))->assertStatus(404);
        $browser->see('a folder without index', $browser->get('/lib/'))->assertStatus(403);
        $calls = '<methodCall><methodName>wiki.getPage</methodName><params><param><value>camels</value></param></params>'
            . '</methodCall>';
        $browser->see('XML-RPC', $browser->post('/lib/exe/xmlrpc.php', $calls, ['Content-Type: text/xml']));
    }
}
