<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\HttpTests\HttpTestCase;
use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use RuntimeException;

/** Tests that let PHP wait on components, in a server of one worker and under php-cli. */
abstract class WaitingTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/app';
    protected const MAY_CRASH = false;

    /** @return list<string> as tests/http does, with messages as php-cli writes them */
    protected static function options(string $mode): array
    {
        Components::folder();

        $ini = ['--ini=html_errors=0', '--ini=display_errors=0', ...self::settings('--ini=')];

        $ini[] = '--client-abort=cancel';

        return ['--workers=1', ...$ini, $mode === 'worker' ? '--worker-script=' . self::APP . '/worker.php' : '--mode=classic'];
    }

    /** @return list<string> what rows need in php.ini: for FFI, for mail(), and the extensions that are loaded for them alone */
    private static function settings(string $option): array
    {
        $sendmail = "{$option}sendmail_path=" . __DIR__ . '/peers/sendmail';

        return ["{$option}ffi.enable=1", $sendmail, ...Extensions::options($option)];
    }

    /**
     * Until so many requests wait at once.
     *
     * @param list<string> $ends files that tell of a request's end: where there is one, they will never wait all at once
     */
    protected static function awaitWaiting(Server $server, int $count, array $ends = []): void
    {
        $status = null;
        $ended = [];
        $look = static function () use ($server, $count, $ends, &$status, &$ended): bool {
            $ended = array_map(file_get_contents(...), array_filter($ends, is_file(...)));
            $status = $server->client->get('/?do=status')->json();

            return $ended !== [] || $status['waiting'] >= $count;
        };
        $told = static fn (): string => sprintf('that %d requests wait; told was %s, ', $count, json_encode($status))
            . substr($server->errors(), -2000);
        Clock::await($look, $told);
        if ($ended !== []) {
            Clock::late('one has ended: ' . implode(', ', $ended) . "; {$told()}");
        }
    }

    /** Until no request goes on but the one that tells so. */
    protected static function awaitIdle(Server $server): void
    {
        $busy = 0;
        $look = static function () use ($server, &$busy): bool {
            $busy = $server->client->get('/?do=status')->json()['busy'];

            return $busy === 1;
        };
        Clock::await($look, static fn (): string => 'the end of all requests, of which go on: ' . json_encode($busy));
    }

    protected static function uri(string $row, string $do, float $seconds): string
    {
        return "/?row=$row&do=$do&seconds=$seconds";
    }

    /**
     * Starts the same under php-cli; awaitCli() tells its answer.
     *
     * @return array{resource, resource} the process and its output
     */
    protected static function startCli(string $row, string $do, float $seconds): array
    {
        $process = proc_open(
            [PHP_BINARY, ...self::settings('-d'), self::APP . '/index.php', $row, $do, (string) $seconds],
            [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );
        if ($process === false) {
            throw new RuntimeException('php-cli cannot be started');
        }

        return [$process, $pipes[1]];
    }

    /** @param array{resource, resource} $cli */
    protected static function awaitCli(array $cli): Outcome
    {
        $output = (string) stream_get_contents($cli[1]);
        proc_close($cli[0]);

        return Outcome::fromJson($output);
    }
}
