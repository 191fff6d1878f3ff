<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What nginx's logs tell of a request. */
#[Group('other')]
final class LogTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    /** Seconds from the time that is told to the log's line, at most. */
    private const AHEAD = 300;

    private const FORMAT = 'log_format measured "measured $request_uri realm=$howdah_realm wait=$howdah_wait_ms '
        . 'cpu=$howdah_cpu_ms memory=$howdah_memory id=$request_id"; ';

    #[DataProvider('modes')]
    public function test_the_access_log_has_what_a_request_took(string $mode): void
    {
        $client = $this->measuring($mode);

        $client->get('/work?ms=100&mb=20');
        $client->get('/work?ms=0&mb=0');

        [$realm, $wait, $cpu, $memory] = $this->measured('/work?ms=100&mb=20');
        self::assertGreaterThanOrEqual(1, $realm);
        self::assertGreaterThanOrEqual(100, $wait);
        self::assertGreaterThanOrEqual(90, $cpu);
        self::assertGreaterThanOrEqual(20 << 20, $memory);
        [, $wait, $cpu, $memory] = $this->measured('/work?ms=0&mb=0');
        self::assertLessThan(90, $cpu, 'its own, not what the realm took before');
        self::assertLessThan(20 << 20, $memory);
    }

    public function test_what_php_does_not_serve_has_none(): void
    {
        $client = $this->measuring('classic');

        self::assertSame(200, $client->get('/download.txt')->status);
        self::assertTrue($this->logs('measured /download.txt realm=- wait=- cpu=- memory=- '), $this->log());
    }

    #[DataProvider('modes')]
    public function test_messages_keep_their_level_and_name_request_and_script(string $mode): void
    {
        $client = $this->measuring($mode);

        self::assertSame(500, $client->get('/complain')->status);

        self::assertTrue($this->logs('measured /complain'));
        $id = preg_match('~measured /complain .* id=([0-9a-f]{32})~', $this->log(), $found) === 1 ? $found[1] : 'none';
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $about = [
            'warn' => 'PHP Warning:  a warning in ',
            'notice' => 'PHP Notice:  a notice in ',
            'notice ' => 'said, client: ',
            'error' => 'PHP Fatal error:  Uncaught RuntimeException: thrown in ',
        ];
        foreach ($about as $level => $message) {
            $lines = array_filter(explode("\n", $this->log()), static fn (string $line): bool => str_contains($line, $message));
            self::assertCount(1, $lines, $message . $this->log());
            self::assertStringContainsString('[' . trim($level) . ']', implode('', $lines));
        }
        $host = "127.0.0.1:{$this->port}";
        $told = preg_quote(", request: \"GET /complain HTTP/1.1\", host: \"$host\", script: \"$script\"", '~');
        self::assertSame(4, preg_match_all("~$told, request_id: $id$~m", $this->log()), $this->log());
    }

    /** @return array<string, array{string, string}> */
    public static function outputs(): array
    {
        $outputs = [];
        foreach (['classic', 'worker'] as $mode) {
            $outputs["stdout, $mode"] = [$mode, 'stdout'];
            $outputs["stderr, $mode"] = [$mode, 'stderr'];
        }

        return $outputs;
    }

    /** As php-fpm gives them with decorate_workers_output=no: who collects JSON finds JSON. */
    #[DataProvider('outputs')]
    public function test_lines_of_an_application_are_whole_and_as_they_were_written(string $mode, string $output): void
    {
        $client = $this->measuring($mode);
        $requests = range(1, 8);

        $uris = array_map(static fn (int $request): string => "/$output?request=$request", $requests);
        $said = array_map(static fn (Response $answer): string => $answer->body, $client->all($uris));
        self::assertSame(array_fill(0, 8, 'written'), $said);
        foreach ($requests as $request) {
            self::assertTrue($this->logs("unfinished $request") && $this->logs("/$output?request=$request realm="));
        }

        $lines = explode("\n", $this->log());
        foreach ($requests as $request) {
            self::assertCount(1, preg_grep("~^measured /$output\?request=$request realm=~", $lines) ?: []);
            self::assertContains("one $request\r", $lines);
            self::assertContains("unfinished $request", $lines);
            $start = "{\"request\":$request,";
            $own = array_values(array_filter($lines, static fn (string $line): bool => str_starts_with($line, $start)));
            self::assertCount(10, $own);
            foreach ($own as $number => $line) {
                $told = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
                assert(is_array($told) && is_string($told['text']));
                self::assertSame([$number, md5($told['text'])], [$told['number'], $told['sum']]);
            }
        }
        self::assertStringNotContainsString('[error]', $this->log());
    }

    /** Whatever a client has chosen of it, a message is no line of nginx's, and does nothing to a terminal. */
    #[DataProvider('modes')]
    public function test_no_message_can_be_taken_for_another_one(string $mode): void
    {
        $client = $this->measuring($mode);
        $forged = '2026/11/23 12:00:00 [alert] 1#1: forged';

        $client->get('/forge?text=' . rawurlencode("first\n$forged\r\e[31mred\x7f\u{9b}2J\x9b3J\x9f \xff\xc3\n\n"));
        // The last byte of each of these is one that a terminal would obey if it stood alone; the cut is within one of them.
        $client->get('/forge?text=' . rawurlencode('words ' . str_repeat("\u{c4}\u{2014}\u{1f91b}", 300)));
        $client->get('/forge?text=' . rawurlencode(str_repeat("\n$forged", 80)));
        $client->get('/forge?text=' . rawurlencode(str_repeat('Z', 5000)));
        $client->get('/a%0A' . rawurlencode($forged) . '%1b[31m/forged.php');
        $client->get('/forged.php/%0A' . rawurlencode($forged));
        self::assertTrue($this->logs('measured /forged.php/'));

        $log = $this->log();
        $escaped = "first\n    $forged\\x0D\\x1B[31mred\\x7F\\xC2\\x9B2J\\x9B3J\\x9F \\xFF\\xC3";
        self::assertStringContainsString("$escaped, client: ", $log);
        self::assertGreaterThanOrEqual(81, substr_count($log, $forged), $log);
        preg_match_all('/(?<= )Z+(?=, client: )/', $log, $parts);
        self::assertSame(5000, strlen(implode('', $parts[0])), 'a long message is cut, and all of it is there');
        self::assertStringNotContainsString("\n$forged", $log);
        foreach (["\u{c4}", "\u{2014}", "\u{1f91b}"] as $character) {
            self::assertSame(300, substr_count($log, $character), 'a long message is cut, but no character');
        }
        $characters = '/\xc2[\xa0-\xbf]|[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/';
        $others = (string) preg_replace($characters, '', $log);
        self::assertDoesNotMatchRegularExpression('/[\x00-\x08\x0b-\x1f\x7f-\x9f]/', $others);
    }

    /** Nor does it look like another one: in a message, in the name of a script, in nginx's own words of the request. */
    #[DataProvider('modes')]
    public function test_what_is_not_seen_is_escaped(string $mode): void
    {
        $client = $this->measuring($mode);
        $hidden = ["\u{ad}", "\u{61c}", "\u{115f}", "\u{180e}", "\u{200b}", "\u{200f}", "\u{2028}", "\u{202e}", "\u{2060}",
            "\u{2066}", "\u{206f}", "\u{3164}", "\u{feff}", "\u{fff9}", "\u{e0041}", "\u{85}", "\xed\xa0\x80", "\xc0\x9b",
            "\xe4\xc2\x9b2J", "\xf4\x90\x80\x80", "\xe2\x80", "\xa0"];
        $seen = "\u{e4}\u{2027}\u{2070}\u{2764}\u{fe0f}\u{1f91b}\u{10ffff}";
        $text = $seen . implode(':', $hidden) . $seen;
        $escape = static fn (string $bytes): string => (string) preg_replace_callback(
            '/[\x80-\xff]/',
            static fn (array $byte): string => sprintf('\x%02X', ord($byte[0])),
            $bytes,
        );

        $client->get('/forge?text=' . rawurlencode("say $text"));
        (new Http1($this->port))->get("/forge?text=word&raw=$text", "Referer: http://a/\e[31m$text\r\n")->read();
        self::assertTrue($this->logs('word, client: '));

        $escaped = $seen . $escape(implode(':', $hidden)) . $seen;
        self::assertStringContainsString("say $escaped, client: ", $this->log());
        self::assertStringContainsString("request: \"GET /forge?text=word&raw=$escaped HTTP/1.1\"", $this->log());
        self::assertStringContainsString("referrer: \"http://a/\\x1B[31m$escaped\"", $this->log());
        foreach ($hidden as $character) {
            self::assertStringNotContainsString($character, str_replace($seen, '', $this->log()), $escape($character));
        }
    }

    #[DataProvider('modes')]
    public function test_php_s_own_error_log_is_obeyed(string $mode): void
    {
        $file = "{$this->folder}/php.log";
        $client = $this->measuring($mode);

        $client->get('/complain?log=' . rawurlencode($file));

        $own = (string) file_get_contents($file);
        self::assertStringContainsString('PHP Warning:  a warning in ', $own);
        self::assertStringContainsString('said', $own);
        self::assertStringNotContainsString('PHP Warning', $this->log());
    }

    /** nginx's clock stands still while PHP computes, here without slices; and it is the server's, whatever zone a request is in. */
    public function test_the_time_of_a_message_is_when_it_was_said(): void
    {
        $client = $this->measuring('classic', 'howdah_slice 0; ');
        $zones = [];
        foreach (['', 'Asia/Tokyo'] as $zone) {
            self::assertSame('said', $client->get("/late?seconds=1.5&zone=$zone")->body);
            preg_match_all('~^(\S+ \S+) \[notice\] .* late (\d+)~m', $this->log(), $lines, PREG_SET_ORDER);
            $found = end($lines);
            assert($found !== false);
            $ahead = (int) strtotime("$found[1] UTC") - (int) $found[2];
            // Zones differ by quarters of an hour. A clock that stood still is behind; what is ahead has waited.
            self::assertLessThanOrEqual(self::AHEAD, ($ahead + 86_400) % 900, $found[0]);
            $zones[] = intdiv($ahead + 86_400, 900);
        }
        self::assertSame($zones[0], $zones[1]);
    }

    /** What nginx itself says while PHP writes: here one of its filters, of what it cannot read. */
    public function test_the_time_of_a_filter_s_message_is_when_it_was_said(): void
    {
        $client = $this->measuring('classic', 'howdah_slice 0; ', 'ssi on;');
        $answer = $client->get('/filtered-late?seconds=2.5')->body;
        $said = preg_match('~an error occurred .*] (\d+)$~', $answer, $match) === 1 ? (int) $match[1] : self::fail($answer);
        self::assertTrue($this->logs('invalid SSI command'), $this->log());
        $pattern = '~^(\S+ \S+) \[error\] .*invalid SSI command~m';
        $found = preg_match($pattern, $this->log(), $match) === 1 ? $match[1] : self::fail($this->log());
        $ahead = (int) strtotime("$found UTC") - $said;
        self::assertLessThanOrEqual(self::AHEAD, ($ahead + 86_400) % 900, $found);
    }

    private function measuring(string $mode, string $more = '', string $directive = ''): Client
    {
        $edits = ['log_format howdah' => self::FORMAT . $more . 'log_format howdah'];

        return $this->share($mode, "access_log /dev/stdout measured; $directive", $edits);
    }

    /** @return list<int> */
    private function measured(string $uri): array
    {
        self::assertTrue($this->logs("measured $uri "), $this->log());
        $pattern = '~measured ' . preg_quote($uri, '~') . ' realm=(\d+) wait=(\d+) cpu=(\d+) memory=(\d+) ~';
        self::assertSame(1, preg_match($pattern, $this->log(), $found), $this->log());

        return array_map(intval(...), array_values(array_slice($found, 1)));
    }
}
