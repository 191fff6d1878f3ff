<?php

/*
 * What Howdah gives to PHP, for editors and static analysis: never loaded. docs/functions.md tells what it does.
 * Each signature is on one line, as tests/http/FunctionsTest.php reads it.
 */

declare(strict_types=1);

namespace {
    const FRANKENPHP_LOG_LEVEL_DEBUG = -4;
    const FRANKENPHP_LOG_LEVEL_INFO = 0;
    const FRANKENPHP_LOG_LEVEL_WARN = 4;
    const FRANKENPHP_LOG_LEVEL_ERROR = 8;

    /**
     * Waits for a request, runs the callback for it and ends it. Worker mode alone: in classic mode it throws.
     *
     * @return bool false: the script should end
     */
    function frankenphp_handle_request(callable $callback): bool
    {
    }

    /**
     * Sends the response now; the script goes on.
     *
     * @return bool false: it was sent already
     */
    function fastcgi_finish_request(): bool
    {
    }

    /**
     * The same as fastcgi_finish_request().
     *
     * @return bool false: it was sent already
     */
    function frankenphp_finish_request(): bool
    {
    }

    /**
     * With 100 to 199 the headers so far leave at once as an interim response (103: Early Hints), and stay for
     * the final one. With another status the response's head is sent.
     *
     * @return int interim: 1, or 3 where the client cannot be sent one; else 0, or -1 where the head cannot be sent
     *
     * @throws \ValueError for 101, and what is not from 100 to 599
     */
    function headers_send(int $status = 200): int
    {
    }

    /** @return array<string, string> the request's headers */
    function apache_request_headers(): array
    {
    }

    /** @return array<string, string> the request's headers */
    function getallheaders(): array
    {
    }

    /** @return array<string, string> the request's headers */
    function frankenphp_request_headers(): array
    {
    }

    /** @return array<array-key, string> the response's headers so far */
    function apache_response_headers(): array
    {
    }

    /** @return array<array-key, string> the response's headers so far */
    function frankenphp_response_headers(): array
    {
    }

    /**
     * Writes to nginx's error log. A context follows the message as JSON.
     *
     * @param int          $level   of Go's log/slog, one of FRANKENPHP_LOG_LEVEL_ or a number between them
     * @param array<mixed> $context
     */
    function frankenphp_log(string $message, int $level = 0, array $context = []): void
    {
    }
}

namespace Howdah {
    /**
     * Which worker process and realm answers, what its pool does, and how long this request has waited.
     *
     * @return array{
     *     worker: int,
     *     realm: int,
     *     mode: 'classic'|'worker',
     *     realms: int,
     *     busy: int,
     *     waiting: int,
     *     queued: int,
     *     limit: int,
     *     requests: int,
     *     births: int,
     *     deaths: int,
     *     deaths_by: array{script: int, boot: int, requests: int, memory: int, outdated: int, idle: int, ceiling: int},
     *     booting: int,
     *     collections: int,
     *     collected: int,
     *     cancelled: int,
     *     loads: int,
     *     threads: int,
     *     offloaded: int,
     *     offload_queued: int,
     *     wait_ms: float,
     *     switches: int,
     * }
     */
    function status(): array
    {
    }

    /**
     * Adds a field after the body.
     *
     * @return bool false: this client cannot be sent one, or the head has left without a Trailer header
     *
     * @throws \ValueError for what is no name or value of a header, and what belongs before the body
     */
    function trailer(string $name, string $value): bool
    {
    }

    /**
     * What $_SERVER would hold, without making it; null where there is none.
     *
     * @return list<?string> as many as names, which are 1 to 32
     */
    function request_variables(string ...$names): array
    {
    }
}
