<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

use RuntimeException;
use Throwable;

/** What both modes and php-cli run. */
final class Front
{
    /** @var array<string, Row> a row's file is read once in each realm */
    private static array $rows = [];

    /** One HTTP request. */
    public static function answer(): void
    {
        header('Content-Type: application/json');
        echo json_encode(match ($_GET['do'] ?? '') {
            'ping' => 'pong',
            'status' => function_exists('Howdah\status') ? \Howdah\status() : null,
            'time' => hrtime(true),
            'pid' => getmypid(),
            'crowd' => Crowd::ask(self::parameter('peer'), (int) self::parameter('number'), (float) self::parameter('seconds')),
            default => self::marked(),
        }, JSON_THROW_ON_ERROR);
    }

    /**
     * Runs a row and tells what came of it. Warnings count: libraries report with them.
     *
     * @return array{result: mixed, error: ?array{class: string, code: mixed, message: string}, warnings: list<string>,
     *     elapsed: float, delayed: float}
     */
    public static function run(string $name, string $do, float $seconds): array
    {
        $row = self::row($name);
        $result = $error = null;
        $warnings = [];
        set_error_handler(static function (int $level, string $message) use (&$warnings): bool {
            if ((error_reporting() & $level) !== 0) {
                // mysqlnd names the process.
                $warnings[] = str_replace('PID=' . getmypid(), 'PID', $message);
            }

            return true;
        });
        if ($row instanceof Lasting) {
            $row->begin($do === 'limit' ? 0 : $seconds);
        }
        $delay = Processor::delay((int) getmypid());
        $start = hrtime(true);
        try {
            $result = $do === 'limit' ? $row->limit($seconds) : $row->wait($seconds);
        } catch (Throwable $thrown) {
            $error = ['class' => $thrown::class, 'code' => $thrown->getCode(), 'message' => $thrown->getMessage()];
        } finally {
            $elapsed = (hrtime(true) - $start) / 1e9;
            $delayed = Processor::delay((int) getmypid()) - $delay;
            restore_error_handler();
            if ($row instanceof Lasting) {
                $row->end();
            }
        }

        return [
            'result' => $result,
            'error' => $error,
            'warnings' => $warnings,
            'elapsed' => $elapsed,
            'delayed' => $delayed,
        ];
    }

    public static function row(string $name): Row
    {
        $file = __DIR__ . "/rows/$name.php";
        if (preg_match('/^[a-z0-9-]+$/D', $name) !== 1 || !is_file($file)) {
            throw new RuntimeException("no such row: $name");
        }
        $row = self::$rows[$name] ?? require $file;
        assert($row instanceof Row);

        return self::$rows[$name] = $row;
    }

    /**
     * With mark=FILE the end of the request is told in that file of the settings' folder, for a client that has gone.
     *
     * @return array<string, mixed>
     */
    private static function marked(): array
    {
        if (self::parameter('mark') !== '') {
            ignore_user_abort(self::parameter('ignore') === '1');
            $file = Settings::folder() . '/' . basename(self::parameter('mark'));
            $start = hrtime(true);
            $answer = null;
            register_shutdown_function(static function () use ($file, $start, &$answer): void {
                $elapsed = (hrtime(true) - $start) / 1e9;
                $mark = ['status' => connection_status(), 'elapsed' => $elapsed, 'answer' => $answer];
                file_put_contents("$file.new", json_encode($mark));
                rename("$file.new", $file);
            });
            // From now on its end is told.
            touch("$file-began");
        }

        return $answer = self::run(self::parameter('row'), self::parameter('do'), (float) self::parameter('seconds'));
    }

    private static function parameter(string $name): string
    {
        return is_string($_GET[$name] ?? null) ? $_GET[$name] : '';
    }
}
