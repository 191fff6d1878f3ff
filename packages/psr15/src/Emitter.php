<?php

declare(strict_types=1);

namespace Howdah\Psr15;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;

/** Sends a PSR-7 response through PHP's own head and output, so that sessions, cookies and output handlers keep working. */
final readonly class Emitter
{
    private const PIECE_BYTES = 16_384;

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

    /** Its size is not asked for: that costs more than to read it, and another read tells the end. */
    private function send(StreamInterface $body): void
    {
        $stored = $body->isSeekable();
        if ($stored) {
            $body->rewind();
        }
        while (!$body->eof()) {
            $piece = $body->read(self::PIECE_BYTES);
            echo $piece;
            // Nobody knows when the next piece will be there: events, a tail, another server's answer.
            if (!$stored && $piece !== '') {
                flush();
            }
        }
    }
}
