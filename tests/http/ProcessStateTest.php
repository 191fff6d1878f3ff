<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** What a process has once is nginx's whenever nginx's code runs, whatever a request has made of it: time zone, folder, umask. */
#[Group('realms')]
final class ProcessStateTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    #[DataProvider('modes')]
    public function test_nginx_keeps_its_time_zone_folder_and_umask(string $mode): void
    {
        $door = new Door();
        $server = 'server { listen unix:relative.sock; access_log off; location / { return 200 reached; } } ';
        $client = $this->serve(
            $mode,
            'access_log /dev/stdout zone; location /relative { proxy_pass http://unix:relative.sock:/; }',
            ['log_format howdah' => "log_format zone \"zone \$time_iso8601 \$request_uri\"; $server log_format howdah"],
        );
        $client->get('/?first');
        self::assertTrue($this->logs('zone '), $this->log());
        $process = 0;
        $seen = [];

        $answers = $client->all(
            ["/astray?door={$door->path}"],
            static function () use ($client, $door, &$process, &$seen): void {
                if ($process !== 0 || $door->count() === 0) {
                    return;
                }
                $process = $door->process();
                self::awaitNextSecond();
                // The one worker has answered: the realm waits by now, and never looks whether it may go on.
                $seen = [$client->get('/relative')->body, ...self::placeOf($process)];
                $door->open();
            },
        );
        self::awaitNextSecond();
        $client->get('/?last');

        self::assertSame([0o123 . ' /usr'], array_map(static fn (Response $answer): string => $answer->body, $answers));
        self::assertSame(['reached', $this->folder, umask()], $seen, 'while the request waits');
        self::assertTrue($this->logs('/?last'), $this->log());
        self::assertSame($this->folder, self::placeOf($process)[0], 'after it');
        preg_match_all('/^zone \S+(\S{6}) /m', $this->log(), $zones);
        self::assertCount(4, $zones[1], $this->log());
        self::assertSame([date('P')], array_values(array_unique($zones[1])), $this->log());
    }

    /** nginx makes the text of a second once. */
    private static function awaitNextSecond(): void
    {
        $now = time();
        Clock::await(static fn (): bool => time() > $now, 'the next second');
        usleep(20_000); // the kernel's coarse clock is a little behind
    }

    /** @return array{string, int} a process's folder and umask */
    private static function placeOf(int $pid): array
    {
        preg_match('/^Umask:\s*(\d+)/m', (string) file_get_contents("/proc/$pid/status"), $umask);

        return [(string) readlink("/proc/$pid/cwd"), (int) octdec($umask[1] ?? '')];
    }
}
