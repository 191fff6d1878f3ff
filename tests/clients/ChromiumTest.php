<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\HttpTests\Server;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** A browser: the demo page, an event stream, a form with files. */
final class ChromiumTest extends ClientTestCase
{
    private const DEMO = __DIR__ . '/../../examples/laravel';

    private static ?Chromium $chromium = null;

    private static function chromium(): Chromium
    {
        return self::$chromium ??= new Chromium();
    }

    public static function tearDownAfterClass(): void
    {
        self::$chromium?->close();
        self::$chromium = null;
        parent::tearDownAfterClass();
    }

    /** HOWDAH_SCREENSHOT=FILE.png keeps what it looks like. */
    #[DataProvider('modes')]
    public function test_the_demo_page_shows_24_requests_at_once(string $mode): void
    {
        self::said(self::DEMO . '/bin/setup');
        $server = $this->keep(Server::serving(self::DEMO, "--mode=$mode", '--workers=1', '--concurrency=24'));
        $chromium = self::chromium();
        $chromium->open("http://127.0.0.1:$server->port/");
        // Its script, too, without which the button does nothing.
        $there = 'document.readyState === "complete" && document.querySelectorAll(".posts li").length > 0';
        $chromium->await($there, 'the page is there');
        self::assertSame($mode, $chromium->evaluate('document.querySelector("[data-key=mode]").textContent'));
        $chromium->evaluate('document.querySelector("button[data-fire]").click()');
        $done = 'document.querySelectorAll("[data-timeline] li").length === 24 && '
            . '!document.querySelector("button[data-fire]").disabled && '
            . 'document.querySelector("[data-result]").textContent !== ""';
        $chromium->await($done, 'all are answered');
        $result = $chromium->evaluate('document.querySelector("[data-result]").textContent');
        self::assertIsString($result);
        self::assertStringStartsWith('24 answers in ', $result);
        $styled = $chromium->evaluate('[...document.styleSheets].every((sheet) => sheet.cssRules.length > 0)');
        self::assertTrue($styled, 'nginx has sent the styles');
        $picture = $chromium->screenshot();
        self::assertStringStartsWith("\x89PNG", $picture);
        $size = getimagesizefromstring($picture);
        self::assertIsArray($size);
        self::assertGreaterThan(800, $size[0]);
        if (($file = getenv('HOWDAH_SCREENSHOT')) !== false) {
            file_put_contents($file, $picture);
        }
        $count = 'fetch("/counter").then((answer) => answer.text()).then((text) => +/<strong>(\d+)/.exec(text)[1])';
        $visits = $chromium->evaluate($count);
        self::assertIsInt($visits);
        $chromium->open("http://127.0.0.1:$server->port/counter");
        $next = (string) ($visits + 1);
        $chromium->await('document.readyState === "complete" && document.querySelector("strong") !== null', 'the counter');
        self::assertSame($next, $chromium->evaluate('document.querySelector("strong").textContent'), 'a session of his');
    }

    /** One realm, so that each request finds what all others have left. HOWDAH_SCREENSHOT as above. */
    #[Group('rewind')]
    public function test_the_demo_page_shows_what_requests_leave_behind(): void
    {
        self::said(self::DEMO . '/bin/setup');
        $socket = sys_get_temp_dir() . '/howdah-rewound-' . bin2hex(random_bytes(6));
        $options = ['--mode=worker', '--workers=1', '--concurrency=1'];
        $rewound = $this->keep(Server::serving(self::DEMO, ...$options, ...['--rewind', "--listen=unix:$socket"]));
        putenv("DEMO_REWIND=$socket");
        try {
            $server = $this->keep(Server::serving(self::DEMO, ...$options));
        } finally {
            putenv('DEMO_REWIND');
        }
        $chromium = self::chromium();
        $chromium->open("http://127.0.0.1:$server->port/");
        $chromium->await('document.readyState === "complete" && document.querySelector("[data-leak]") !== null', 'the page');
        $chromium->evaluate('document.querySelector("[data-leak]").click()');
        $chromium->await('document.querySelector("[data-leaked]").textContent !== ""', 'all are answered');
        $rows = '[...document.querySelectorAll("[data-found]")]'
            . '.map((row) => [...row.cells].slice(1).map((one) => one.textContent))';
        self::assertSame(
            [['20', '20'], ['19, 1.9 MB', 'nothing'], ['19', '0'], ['Asia/Tokyo', 'UTC']],
            $chromium->evaluate($rows),
            $server->errors() . $rewound->errors(),
        );
        self::assertSame(
            'Requests found what earlier ones had left.',
            $chromium->evaluate('document.querySelector("[data-leaked]").textContent'),
        );
        self::assertStringNotContainsString('cannot be rewound', $rewound->errors());
        foreach ([1100, 390] as $width) {
            $chromium->become($width, 1000);
            $fits = 'document.documentElement.scrollWidth <= innerWidth';
            $chromium->await("innerWidth === $width && $fits", "it is $width wide, and nothing is cut off");
            $chromium->evaluate('document.querySelector("#left").scrollIntoView()');
            if (($file = getenv('HOWDAH_SCREENSHOT')) !== false) {
                file_put_contents("$file.$width.png", $chromium->screenshot());
            }
        }
        $chromium->become(1100, 1000);
    }

    #[DataProvider('modes')]
    public function test_an_event_stream_is_heard_as_it_is_sent(string $mode): void
    {
        $chromium = self::chromium();
        $chromium->open("http://127.0.0.1:{$this->server($mode)->port}/listen");
        $chromium->await('document.title === "heard"', 'each event came after the one before was heard');
        $heard = $chromium->evaluate('[...document.querySelectorAll("li")].map((item) => item.textContent).join()');
        self::assertSame('1:1,2:2,3:3,4:4,5:5', $heard);
    }

    #[DataProvider('modes')]
    public function test_a_form_with_files_is_sent(string $mode): void
    {
        $files = [self::file(1_500_000, '.bin'), self::file(1, ' größe.txt')];
        $chromium = self::chromium();
        $chromium->open("http://127.0.0.1:{$this->server($mode)->port}/form");
        $chromium->await('document.title === "form" && document.querySelector("button") !== null', 'the form');
        $chromium->evaluate('document.querySelector("[name=name]").value = "Jürgen & Söhne"');
        $chromium->evaluate('document.querySelector("[name=text]").value = "one\ntwo"');
        $chromium->choose('input[type=file]', $files);
        $chromium->evaluate('document.querySelector("button").click()');
        $chromium->await('document.title === "sent" && document.readyState === "complete"', 'the answer');
        $told = $chromium->evaluate('document.querySelector("pre").textContent');
        self::assertIsString($told);
        self::assertSame([
            'get' => ['from' => 'form'],
            'post' => ['name' => 'Jürgen & Söhne', 'text' => "one\r\ntwo"],
            'files' => array_map(static fn (string $one): string => basename($one) . ':' . hash_file('sha256', $one), $files),
        ], json_decode($told, true));
    }
}
