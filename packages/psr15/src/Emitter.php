<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;

/** Sends a PSR-7 response through PHP's own head and output, so that sessions, cookies and output handlers keep working. */
final readonly class Emitter
{
    /** Up to here a body is sent in one piece. */
    private const WHOLE_BYTES = 65_536;

    private const PIECE_BYTES = 32_768;

    public function emit(ResponseInterface $response): void
    {
        $status = $response->getStatusCode();
        $typed = false;
        foreach ($response->getHeaders() as $name => $values) {
            $name = (string) $name;
            // Cookies are added to those that PHP sends itself, as a session's.
            $replace = strcasecmp($name, 'Set-Cookie') !== 0;
            $typed = $typed || strcasecmp($name, 'Content-Type') === 0;
            foreach ($values as $value) {
                header("$name: $value", $replace);
                $replace = false;
            }
        }
        if (!$typed) {
            // Else PHP would send its own default, which this response has not.
            header('Content-Type:');
        }
        $reason = $response->getReasonPhrase();
        // After the headers: Location changes the status.
        if ($status !== 200 || ($reason !== 'OK' && $reason !== '')) {
            header("HTTP/{$response->getProtocolVersion()} $status $reason", true, $status);
        }
        $this->send($response->getBody());
    }

    private function send(StreamInterface $body): void
    {
        $size = $body->getSize();
        if ($size !== null && $size <= self::WHOLE_BYTES) {
            echo $body;

            return;
        }
        if ($body->isSeekable()) {
            $body->rewind();
        }
        while (!$body->eof()) {
            $piece = $body->read(self::PIECE_BYTES);
            echo $piece;
            // Nobody knows when the next piece will be there: events, a tail, another server's answer.
            if ($size === null && $piece !== '') {
                flush();
            }
        }
    }
}
