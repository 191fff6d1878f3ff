<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\Audit\Answer;
use Howdah\Cli\Audit\Audit;
use Howdah\Cli\Audit\AuditSheet;
use Howdah\Cli\Audit\Report;
use Howdah\Cli\Audit\Request;
use Howdah\Cli\Audit\ServerLog;
use Howdah\Cli\Audit\Tally;
use Howdah\Cli\Sheet;
use Symfony\Component\Console\Output\BufferedOutput;

/** What the engine has found, as a person is told it. */
final class AuditReportTest extends CliTestCase
{
    private const SHARED = ['verdict' => 'shared', 'object' => 'libphp.so', 'extension' => '', 'place' => '.bss+0x1',
        'words' => 1, 'name' => 'realpath_cache', 'reason' => 'keyed by path',
        'request' => 'GET /', 'script' => '', 'moment' => 'end'];
    private const HIDDEN = ['verdict' => 'unexplained', 'object' => 'counter.so', 'extension' => 'counter', 'words' => 2,
        'leave_out' => 'phpdismod -s fpm counter',
        'place' => 'calls (.bss+0x10)', 'request' => 'GET /buy', 'script' => '/srv/buy.php', 'moment' => 'middle'];

    public function test_nothing_unexplained_is_clean(): void
    {
        $audit = $this->audit([self::SHARED]);

        self::assertTrue($audit->isClean());
        $verdict = '0 unexplained words in 2 requests to 1 page; 1 shared on purpose';
        self::assertStringContainsString($verdict, $this->print($audit));
    }

    public function test_an_unexplained_word_is_told_with_where_when_and_the_way_out(): void
    {
        $audit = $this->audit([self::HIDDEN, self::SHARED]);
        $text = $this->print($audit);

        self::assertFalse($audit->isClean());
        self::assertMatchesRegularExpression(
            '~^counter\.so +calls \(\.bss\+0x10\) +16 +the middle of GET /buy \(/srv/buy\.php\)~m',
            $text,
        );
        $ways = ['phpdismod -s fpm counter', '--concurrency=1', '--shared-extension=counter'];
        foreach (['the extension counter', ...$ways] as $part) {
            self::assertStringContainsString($part, (string) preg_replace('/\s+/', ' ', $text));
        }
        self::assertStringContainsString('2 unexplained words', $text);
    }

    public function test_many_are_told_by_library(): void
    {
        $text = $this->print($this->audit(array_fill(0, 30, self::HIDDEN)));

        self::assertMatchesRegularExpression('/^counter\.so +30 +480 +the middle of GET/m', $text);
        self::assertSame(1, substr_count($text, '--shared-extension'));
    }

    public function test_what_is_shared_on_purpose_is_told_to_who_asks(): void
    {
        $output = new BufferedOutput(BufferedOutput::VERBOSITY_VERBOSE);
        (new AuditSheet(new Sheet($output), $output))->print($this->audit([self::SHARED, self::SHARED]));

        self::assertMatchesRegularExpression('/^libphp\.so +realpath_cache +16 +keyed by path/m', $output->fetch());
    }

    public function test_words_for_which_there_was_no_room_are_unexplained(): void
    {
        $audit = $this->audit([self::SHARED], ['lost_words' => 3]);

        self::assertFalse($audit->isClean());
        self::assertStringContainsString('3 unexplained words', $audit->sentence());
    }

    public function test_errors_of_the_server_and_crashes_are_told(): void
    {
        $log = $this->project(['log' => "2026/11/21 17:56:14 [error] 12#12: *8 howdah: crash: realm 8 ran GET /x: PHP was in"
            . " /srv/x.php on line 3, client: 127.0.0.1, server: \n2026/11/21 17:56:14 [alert] 9#9: worker process 12 exited on"
            . " signal 11\n2026/11/21 17:56:15 [alert] 9#9: worker process 13 exited on signal 9\n"]);
        $audit = $this->audit([self::SHARED], [], (new ServerLog("$log/log"))->crashes());
        $audit->tally->add(new Request('GET', '/x'), new Answer(0, null, '', null, '', 'Empty reply from server'));
        $audit->tally->add(new Request('GET', '/y'), new Answer(503, '1:1', '', null, '', ''));

        $text = $this->print($audit);

        self::assertFalse($audit->isClean());
        self::assertStringContainsString('crashed: signal 11, it ran GET /x: PHP was in /srv/x.php on line 3', $text);
        self::assertStringContainsString('crashed: signal 9', $text);
        self::assertStringContainsString('2 workers crashed', $text);
        self::assertStringContainsString('GET /x: Empty reply from server, GET /y: 503', $text);
    }

    public function test_a_report_that_is_not_whole_is_none(): void
    {
        $folder = $this->project(['report' => '{"format": 1, "unexplained_words": 0']);

        self::assertStringContainsString('wrote no report', $this->failure(static fn () => Report::read("$folder/report")));
    }

    /**
     * @param list<array<string, string|int>> $findings
     * @param array<string, mixed>            $difference
     * @param list<string>                    $crashes
     */
    private function audit(array $findings, array $difference = [], array $crashes = []): Audit
    {
        $words = static fn (string $verdict): int => array_sum(array_map(
            static fn (array $one): int => $one['verdict'] === $verdict ? (int) $one['words'] : 0,
            $findings,
        ));
        $folder = $this->project(['report' => (string) json_encode($difference + [
            'format' => 1,
            'unexplained_words' => $words('unexplained'),
            'shared_words' => $words('shared'),
            'lost_words' => 0,
            'looks' => ['middle' => 1, 'end' => 2],
            'findings' => $findings,
            'complete' => true,
        ])]);
        $tally = new Tally();
        $tally->add(new Request('GET', '/'), new Answer(200, '1:1', 'text/html', null, '', ''));
        $tally->add(new Request('GET', '/'), new Answer(200, '1:2', 'text/html', null, '', ''));

        return new Audit($tally, Report::read("$folder/report"), 7, 'done', $crashes);
    }

    private function print(Audit $audit): string
    {
        $output = new BufferedOutput();
        (new AuditSheet(new Sheet($output), $output))->print($audit);

        return (string) preg_replace('/(?<=\S)\n(?=\S)/', ' ', $output->fetch());
    }
}
