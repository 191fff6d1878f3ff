<?php

declare(strict_types=1);

namespace App\Server;

/**
 * Who answers this request: a realm of Howdah, or a process of another server.
 */
final class Answerer
{
    /**
     * @return array{howdah: bool, worker: int, realm: int, mode: string, realms: int, busy: int, waiting: int, queued: int,
     *     requests: int, births: int, deaths: int, loads: int, wait_ms: float, switches: int}
     */
    public function status(): array
    {
        if (function_exists('Howdah\status')) {
            /** @var array{worker: int, realm: int, mode: string, realms: int, busy: int, waiting: int, queued: int,
             *     requests: int, births: int, deaths: int, loads: int, wait_ms: float, switches: int} $status */
            $status = \Howdah\status();

            return ['howdah' => true, ...$status];
        }

        return [
            'howdah' => false,
            'worker' => (int) getmypid(),
            'realm' => 0,
            'mode' => PHP_SAPI,
            'realms' => 0,
            'busy' => 1,
            'waiting' => 0,
            'queued' => 0,
            'requests' => 0,
            'births' => 0,
            'deaths' => 0,
            'loads' => 0,
            'wait_ms' => 0.0,
            'switches' => 0,
        ];
    }
}
