<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;

/** What a process has once is nginx's whenever nginx's code runs, whatever a request has made of it: time zone, folder, umask. */
final class ProcessStateTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    #[DataProvider('modes')]
    public function test_nginx_keeps_its_time_zone_folder_and_umask(string $mode): void
    {
        $began = "{$this->folder}/began";
        $end = "{$this->folder}/end";
        $server = 'server { listen unix:relative.sock; access_log off; location / { return 200 reached; } } ';
        $client = $this->serve(
            $mode,
            'access_log /dev/stdout zone; location /relative { proxy_pass http://unix:relative.sock:/; }',
            ['log_format howdah' => "log_format zone \"zone \$time_iso8601 \$request_uri\"; $server log_format howdah"],
        );
        $client->get('/?first');
        self::assertTrue($this->logs('zone '), $this->log());
        $before = $seen = null;

        $answers = $client->all(
            ["/astray?began=$began&end=$end"],
            function () use ($client, $began, $end, &$before, &$seen): void {
                if ($seen !== null || !is_file($began)) {
                    return;
                }
                $pid = (int) file_get_contents($began);
                $before = [$this->folder, umask(), 'reached'];
                self::awaitNextSecond();
                $seen = [...self::placeOf($pid), $client->get('/relative')->body];
                touch($end);
            },
        );
        self::awaitNextSecond();
        $client->get('/?last');

        self::assertSame([0o123 . ' /usr'], array_map(static fn (Response $answer): string => $answer->body, $answers));
        self::assertSame($before, $seen, 'while the request waits');
        self::assertTrue($this->logs('/?last'), $this->log());
        self::assertSame($this->folder, self::placeOf((int) file_get_contents($began))[0], 'after it');
        preg_match_all('/^zone \S+(\S{6}) /m', $this->log(), $zones);
        self::assertCount(4, $zones[1], $this->log());
        self::assertSame([date('P')], array_values(array_unique($zones[1])), $this->log());
    }

    /** nginx makes the text of a second once. */
    private static function awaitNextSecond(): void
    {
        usleep(1_020_000 - (int) (fmod(microtime(true), 1) * 1_000_000));
    }

    /** @return array{string, int} a process's folder and umask */
    private static function placeOf(int $pid): array
    {
        preg_match('/^Umask:\s*(\d+)/m', (string) file_get_contents("/proc/$pid/status"), $umask);

        return [(string) readlink("/proc/$pid/cwd"), (int) octdec($umask[1] ?? '')];
    }
}
