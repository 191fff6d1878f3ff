<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\HttpTests\Crowd;
use Howdah\HttpTests\Door;
use Howdah\HttpTests\Http1;
use Howdah\HttpTests\Server;

/** The live page of `howdah serve` in a browser. */
final class LivePageTest extends ClientTestCase
{
    protected const APP = __DIR__ . '/../http/pool';

    private ?Chromium $chromium = null;

    protected function tearDown(): void
    {
        $this->chromium?->close();
        parent::tearDown();
    }

    /** HOWDAH_SCREENSHOT=FILE.png keeps what it looks like. */
    public function test_it_shows_requests_in_flight_on_a_phone_and_a_desk_by_day_and_by_night(): void
    {
        $server = $this->keep(Server::serving(self::APP, '--workers=1', '--mode=classic', '--dev', '--live-reload'));
        $chromium = $this->chromium = new Chromium();
        $chromium->watch();
        $chromium->become(1200, 1000);
        $chromium->open("http://127.0.0.1:$server->port/_howdah");
        $chromium->await('document.querySelector("#state")?.textContent === "live"', 'it has been answered');
        $chromium->await('!document.querySelector("#none").hidden', 'nothing is in flight');
        $door = new Door();
        $markup = "<img/src=x/onerror=alert(1)>\xe2\x80\xae";
        $asked = (new Http1($server->port))->get("/door?at=$door->path&text=$markup");
        $chromium->await('document.querySelector("#list .uri") !== null', 'it is seen');

        $text = static fn (string $of): string => "document.querySelector(\"$of\").textContent";
        self::assertSame(
            "GET /door?at=$door->path&text=<img/src=x/onerror=alert(1)>\\u{202E}",
            $chromium->evaluate($text('#list .uri')),
            'markup is text, and nothing turns its direction',
        );
        $chromium->await($text('#list .does') . ".endsWith(\" for unix:$door->path\")", 'what it waits for');
        $chromium->await($text('#list summary') . '.includes("fgets() ")', 'where it is');
        self::assertSame('1', $chromium->evaluate($text('#flight')));
        $chromium->evaluate('document.querySelector("#list details").open = true');
        $chromium->await('document.querySelectorAll("#list li").length >= 3', 'its backtrace');

        $grounds = [];
        foreach (['light', 'dark'] as $colours) {
            foreach ([1200, 768, 360] as $width) {
                $chromium->become($width, 1000, $colours);
                $fits = 'document.documentElement.scrollWidth <= innerWidth';
                $chromium->await("innerWidth === $width", "it is $width wide");
                self::assertTrue($chromium->evaluate($fits), "nothing is cut off: $colours, $width");
            }
            $grounds[] = $chromium->evaluate('getComputedStyle(document.body).backgroundColor');
        }
        self::assertNotSame($grounds[0], $grounds[1]);
        self::assertTrue($chromium->evaluate('document.querySelector("#list details").open'), 'what was opened stays so');
        if (($file = getenv('HOWDAH_SCREENSHOT')) !== false) {
            file_put_contents($file, $chromium->screenshot());
        }

        self::assertSame('empty so far', $chromium->evaluate($text('#lines')));
        $warns = (new Http1($server->port))->get("/lock?file=/none/$markup")->read();
        self::assertStringEndsWith('no lock', $warns->body ?? '');
        $chromium->await('document.querySelectorAll("#tail li").length > 0', 'the error log');
        $line = $chromium->evaluate($text('#tail'));
        self::assertIsString($line);
        self::assertStringContainsString('"GET /lock?file=/none/<img/src=x/onerror=alert(1)>', $line, 'markup is text');
        self::assertSame(0, $chromium->evaluate('document.querySelectorAll("#log img").length'));
        self::assertTrue($chromium->evaluate('document.documentElement.scrollWidth <= innerWidth'), 'and nothing is cut off');

        $chromium->evaluate('document.querySelector("#pause").click()');
        $door->open();
        self::assertSame('opened', $asked->read()?->body);
        self::assertSame('paused', $chromium->evaluate($text('#state')));
        self::assertSame('1', $chromium->evaluate($text('#flight')));
        $chromium->evaluate('document.querySelector("#pause").click()');
        $chromium->await('!document.querySelector("#none").hidden', 'it has ended');
        $chromium->await($text('#total') . '.startsWith("2 ")', 'both are counted, and nothing else');

        $file = Door::newPath();
        $door = new Door();
        $asked = [(new Http1($server->port))->get("/lock?at=$door->path&file=$file")];
        $door->await();
        $asked[] = (new Http1($server->port))->get("/lock?file=$file");
        $chromium->await($text('#list') . '.includes(`the lock of ' . $file . ', held by request `)', 'who holds a lock');
        $door->open();
        foreach ($asked as $one) {
            self::assertSame('opened', $one->read()?->body);
        }
        unlink($file);

        self::assertSame([], $chromium->complaints());
        $own = preg_grep("~^http://127\\.0\\.0\\.1:$server->port/_howdah(/requests|/status|/log)?$~", $chromium->requests());
        self::assertSame($chromium->requests(), $own, 'it asks nobody else');

        $this->killUnderLoad($server, $chromium, $text('#list'));
    }

    /** The page goes on with the worker that follows. */
    private function killUnderLoad(Server $server, Chromium $chromium, string $list): void
    {
        $crowd = new Crowd($server->port, 4, 4);
        $load = static function () use ($crowd): void {
            for ($i = 0; $i < 20; ++$i) {
                $crowd->turn();
            }
        };
        $door = new Door();
        $asked = (new Http1($server->port))->get("/door?at=$door->path&of=the-first");
        $load();
        $chromium->await("$list.includes('of=the-first')", 'it is seen');
        posix_kill($door->process(), SIGKILL);
        $load();
        $chromium->await("!$list.includes('of=the-first')", 'with its worker it is gone');
        $next = (new Http1($server->port))->get("/door?at=$door->path&of=the-next");
        $load();
        $chromium->await("$list.includes('of=the-next')", 'the next one is seen');
        $chromium->await('document.querySelector("#state").textContent === "live"', 'it is answered');
        $door->open();
        self::assertSame('opened', $next->read()?->body);
        $crowd->rest();
        self::assertSame([], preg_grep('/^200 /', array_keys($crowd->answers), PREG_GREP_INVERT));
        unset($asked);
    }
}
