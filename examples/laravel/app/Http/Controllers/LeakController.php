<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\Event;

/**
 * Tells what earlier requests have left behind, and leaks itself, on purpose: into a static list, the listeners of an event, and
 * PHP's time zone. Worker\Sandbox resets none of these.
 */
final class LeakController
{
    private const BYTES = 100_000;

    /** Seconds for the other server. */
    private const PATIENCE = 10;

    /** @var list<string> */
    private static array $kept = [];

    public function here(): JsonResponse
    {
        $found = [
            'list' => count(self::$kept),
            'kilobytes' => intdiv(array_sum(array_map(strlen(...), self::$kept)), 1000),
            'listeners' => count(Event::getRawListeners()['leak'] ?? []),
            'zone' => date_default_timezone_get(),
        ];
        self::$kept[] = str_repeat('x', self::BYTES);
        Event::listen('leak', static fn () => null);
        date_default_timezone_set('Asia/Tokyo');

        return response()->json($found)->header('Cache-Control', 'no-store');
    }

    /** What the same application answers that `make serve` starts beside this one, with rewind. */
    public function rewound(): JsonResponse
    {
        $path = getenv('DEMO_REWIND');
        $socket = $path === false ? false : @stream_socket_client("unix://$path", timeout: self::PATIENCE);
        if ($socket === false) {
            return response()->json(['message' => 'not served'], 404)->header('Cache-Control', 'no-store');
        }
        stream_set_timeout($socket, self::PATIENCE);
        fwrite($socket, "GET /leftovers HTTP/1.0\r\nHost: localhost\r\n\r\n");
        [$head, $body] = [...explode("\r\n\r\n", (string) stream_get_contents($socket), 2), ''];
        if (preg_match('~^HTTP/1\.\d 200 ~', $head) !== 1) {
            return response()->json(['message' => 'it did not answer well'], 502)->header('Cache-Control', 'no-store');
        }

        return JsonResponse::fromJsonString($body)->header('Cache-Control', 'no-store');
    }
}
