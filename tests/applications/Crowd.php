<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CurlHandle;
use Fiber;
use RuntimeException;

/** Several users at once: each a walk, written as if it were alone. */
final class Crowd
{
    /**
     * @template T
     * @param  array<array-key, callable(): T> $walks
     * @return array<array-key, T>
     */
    public static function walk(array $walks): array
    {
        $multi = curl_multi_init();
        $fibers = $keys = [];
        foreach ($walks as $key => $walk) {
            $fibers[$key] = new Fiber($walk);
            self::await($multi, $keys, $key, $fibers[$key]->start());
        }
        while ($keys !== []) {
            curl_multi_exec($multi, $running);
            curl_multi_select($multi, 0.1);
            while (($message = curl_multi_info_read($multi)) !== false) {
                $curl = $message['handle'];
                if (!$curl instanceof CurlHandle) {
                    throw new RuntimeException('curl tells of no handle');
                }
                $key = $keys[spl_object_id($curl)];
                unset($keys[spl_object_id($curl)]);
                $body = $message['result'] === CURLE_OK ? (string) curl_multi_getcontent($curl) : false;
                curl_multi_remove_handle($multi, $curl);
                self::await($multi, $keys, $key, $fibers[$key]->resume($body));
            }
        }

        return array_map(static fn (Fiber $fiber): mixed => $fiber->getReturn(), $fibers);
    }

    /** @param array<int, array-key> $keys who waits for which handle */
    private static function await(\CurlMultiHandle $multi, array &$keys, int|string $key, mixed $curl): void
    {
        if ($curl instanceof CurlHandle) {
            $keys[spl_object_id($curl)] = $key;
            curl_multi_add_handle($multi, $curl);
        }
    }
}
