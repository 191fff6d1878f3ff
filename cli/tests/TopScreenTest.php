<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Top\Request;
use Howdah\Cli\Top\Screen;
use Howdah\Cli\Top\Worker;
use PHPUnit\Framework\TestCase;

/** The live view of `howdah top`: keys in, lines out. */
final class TopScreenTest extends TestCase
{
    private const UP = "\e[A";
    private const DOWN = "\e[B";

    /** Without the head of the table. */
    private const TITLE = 0;
    private const PROMPT = 1;
    private const FIRST = 3;

    public function test_it_sorts_and_filters(): void
    {
        $screen = self::screen(1, 2, 3);
        self::assertSame(['9-3', '9-2', '9-1'], self::names($screen));
        self::assertStringContainsString('3 requests in flight, 3 shown, by age; 1 workers', self::line($screen, self::TITLE));

        $screen->press('m');
        self::assertSame(['9-1', '9-2', '9-3'], self::names($screen));
        self::press($screen, '/', 'u', 'x', "\x7f", 'r', 'i', '2');
        self::assertStringStartsWith('Filter: uri2_', self::line($screen, self::PROMPT));
        self::assertCount(3, self::names($screen), 'it is not taken yet');
        $screen->press("\r");
        self::assertSame(['9-2'], self::names($screen));
        self::assertStringEndsWith('3 requests in flight, 1 shown, by memory; 1 workers; filter: uri2', self::line($screen, 0));
        self::press($screen, '/', 'q', "\e");
        self::assertSame(['9-2'], self::names($screen), 'what was typed is given up');
        self::assertFalse($screen->isOver(), 'q was a letter');
        self::press($screen, '/', ...[...array_fill(0, 4, "\x7f"), "\n"]);
        self::assertCount(3, self::names($screen));
    }

    public function test_a_request_is_ended_only_after_a_question(): void
    {
        $screen = self::screen(1, 2);
        self::press($screen, 'e', 'y');
        self::assertNull($screen->takeEnding(), 'none is selected');
        self::press($screen, self::DOWN, 'e');
        self::assertSame('End 9-2 /uri2? y ends it, any other key does not', self::line($screen, self::PROMPT));
        $screen->press('q');
        self::assertNull($screen->takeEnding());
        self::assertFalse($screen->isOver(), 'q was an answer');
        self::press($screen, 'e', 'y');
        self::assertSame(['9-2', null], [$screen->takeEnding(), $screen->takeEnding()]);
        $screen->say('Request 9-2 is ended');
        self::assertSame('Request 9-2 is ended', self::line($screen, self::PROMPT));
        self::press($screen, self::UP);
        self::assertStringStartsWith('a w c m sort', self::line($screen, self::PROMPT));
    }

    public function test_the_selected_request_stays_selected_and_in_sight(): void
    {
        $screen = self::screen(...range(1, 40));
        self::press($screen, ...array_fill(0, 30, self::DOWN));
        self::assertSame('9-11', self::selected($screen));
        self::assertCount(24, $screen->lines(80, 24));

        // It is the oldest by now.
        $screen->update([self::worker(...range(1, 11))]);
        self::assertSame('9-11', self::selected($screen));
        $screen->press(self::UP);
        self::assertSame('9-11', self::selected($screen));
        $screen->update([self::worker(1, 2)]);
        self::assertNull(self::selected($screen));
        $screen->update([]);
        self::press($screen, self::DOWN, self::UP, "\n");
        self::assertNull(self::selected($screen));
    }

    public function test_it_shows_a_backtrace_stops_for_reading_and_ends(): void
    {
        $screen = self::screen(1, 2);
        self::press($screen, 'j', 'j', "\n");
        $lines = $screen->lines(120, 24);
        self::assertContains('    #0 usleep() /srv/shop.php:7', $lines);
        $lock = '    waited 1.500 s for the lock of /srv/a, 2 times, 1.200 s at most, at flock() /srv/shop.php:6';
        self::assertContains($lock, $lines);
        self::assertContains('    waited 0.200 s for a connection', $lines);

        self::press($screen, ' ');
        self::assertTrue($screen->isPaused());
        self::press($screen, '/', "\x03");
        self::assertTrue($screen->isOver());
    }

    public function test_lines_fit_and_what_clients_chose_is_harmless(): void
    {
        $hostile = Request::of(1, 9, ['request' => 1, 'method' => 'GET', 'uri' => "/\e]0;x\x07" . str_repeat('ü', 500)]);
        self::assertNotNull($hostile);
        $screen = new Screen();
        $screen->update([new Worker(1, 9, 2, false, 3.0, 1.0, 0, [$hostile])]);
        foreach ([[40, 5], [200, 50], [1, 1]] as [$width, $height]) {
            $lines = $screen->lines($width, $height);
            self::assertLessThanOrEqual($height, count($lines));
            foreach ($lines as $line) {
                $plain = (string) preg_replace('/\e\[[0-9;]*m/', '', $line);
                self::assertLessThanOrEqual($width, mb_strlen($plain), $plain);
                self::assertDoesNotMatchRegularExpression('/[\x00-\x1f]/', $plain);
            }
        }
        self::assertStringContainsString('1 of which have not answered', self::line($screen, self::TITLE));
    }

    private static function screen(int ...$numbers): Screen
    {
        $screen = new Screen();
        $screen->update([self::worker(...array_values($numbers))]);

        return $screen;
    }

    /** The higher its number, the older a request is, and the less memory it has. */
    private static function worker(int ...$numbers): Worker
    {
        $requests = array_map(static fn (int $number): ?Request => Request::of(1, 9, [
            'request' => $number, 'method' => 'GET', 'uri' => "/uri$number", 'client' => '127.0.0.1', 'state' => 'waits',
            'for' => 'sleep', 'age_us' => $number * 1000, 'memory' => (100 - $number) << 20,
            'stack' => [['function' => 'usleep', 'file' => '/srv/shop.php', 'line' => 7]],
            'waited' => [
                ['for' => 'lock', 'subject' => '/srv/a', 'us' => 1_500_000, 'count' => 2, 'longest_us' => 1_200_000,
                    'function' => 'flock', 'file' => '/srv/shop.php', 'line' => 6],
                ['for' => 'descriptor', 'us' => 200_000, 'count' => 1],
            ],
        ]), $numbers);

        return new Worker(1, 9, count($numbers), true, 0.0, 0.0, 0, array_values(array_filter($requests)));
    }

    private static function press(Screen $screen, string ...$keys): void
    {
        array_map($screen->press(...), $keys);
    }

    private static function line(Screen $screen, int $number): string
    {
        return $screen->lines(120, 24)[$number];
    }

    /** @return list<string> as the lines have them */
    private static function names(Screen $screen): array
    {
        $lines = array_slice($screen->lines(120, 100), self::FIRST);

        return array_map(static fn (string $line): string => (string) strtok($line, ' '), $lines);
    }

    private static function selected(Screen $screen): ?string
    {
        foreach ($screen->lines(80, 24) as $line) {
            if (str_starts_with($line, "\e[1;7m")) {
                return (string) strtok(substr($line, 6), ' ');
            }
        }

        return null;
    }
}
