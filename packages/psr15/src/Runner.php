<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Closure;
use Psr\Http\Server\RequestHandlerInterface;
use Throwable;

/**
 * Gives each request to a PSR-15 handler, and its response to the client.
 *
 * Nothing of a request outlives it here; a request that a handler has kept tells no other one's headers or body.
 */
final readonly class Runner
{
    /** @var Closure(Throwable): void */
    private Closure $report;

    /**
     * @param Closure(Throwable): void|null $report told what the handler threw; by default PHP's error log is
     */
    public function __construct(
        private RequestHandlerInterface $handler,
        private ServerRequests $requests,
        private Emitter $emitter = new Emitter(),
        ?Closure $report = null,
    ) {
        $this->report = $report ?? static function (Throwable $thrown): void {
            error_log("PSR-15 handler: $thrown");
        };
    }

    /** In worker mode: request after request, until the worker script is to end. Elsewhere: the one request there is. */
    public function run(): void
    {
        if (!self::isWorker()) {
            $this->serve();

            return;
        }
        $serve = $this->serve(...);
        while (frankenphp_handle_request($serve)) {
        }
    }

    private static function isWorker(): bool
    {
        return function_exists('Howdah\status')
            ? \Howdah\status()['mode'] === 'worker'
            : isset(Superglobals::server()['FRANKENPHP_WORKER']);
    }

    /**
     * One request. What the handler throws is reported, and answered with 500 where nothing was sent yet; else it goes on up,
     * so that the client sees that its answer is not whole. A malformed request is nothing to wake anybody for.
     */
    private function serve(): void
    {
        try {
            $this->emitter->emit($this->handler->handle($this->requests->current()));
        } catch (Throwable $thrown) {
            $malformed = $thrown instanceof MalformedRequest;
            if (!$malformed) {
                ($this->report)($thrown);
            }
            if (headers_sent()) {
                throw $thrown;
            }
            $malformed ? $this->say(400, 'Bad Request') : $this->say(500, 'Internal Server Error');
        } finally {
            $this->requests->end();
        }
    }

    /** Instead of what was to be said: headers and output that nobody has seen are dropped. */
    private function say(int $status, string $reason): void
    {
        while (ob_get_level() > 0 && ob_end_clean()) {
        }
        header_remove();
        http_response_code($status);
        header('Content-Type: text/plain; charset=utf-8');
        echo $reason, "\n";
    }
}
