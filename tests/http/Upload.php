<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** A body that comes in two parts: with its length, in chunks, or over HTTP/2. */
final readonly class Upload
{
    private const LENGTH = 15;

    private Http1|Http2 $client;
    private int $stream;

    /** Sends the head and the first part. Of those with a length, both parts together have 15 bytes. */
    public function __construct(private string $how, int $port, string $uri, string $first)
    {
        if ($how === 'HTTP/2') {
            $this->client = new Http2($port);
            $this->stream = $this->client->request($uri, 'POST', hasBody: true);
            $this->client->sendBody($this->stream, $first, false);

            return;
        }
        $this->client = new Http1($port);
        $this->stream = 0;
        $head = $how === 'length' ? 'Content-Length: ' . self::LENGTH : 'Transfer-Encoding: chunked';
        $this->client->send("POST $uri HTTP/1.1\r\nHost: x\r\n$head\r\n\r\n" . $this->framed($first));
    }

    /** The rest. */
    public function send(string $rest): void
    {
        if ($this->client instanceof Http2) {
            $this->client->sendBody($this->stream, $rest, true);
        } else {
            $this->client->send($this->framed($rest) . ($this->how === 'chunks' ? "0\r\n\r\n" : ''));
        }
    }

    /** @return array{?int, ?string} status and body */
    public function answer(): array
    {
        if ($this->client instanceof Http2) {
            $this->client->until(fn (Http2 $client): bool => isset($client->ended[$this->stream]));

            return [$this->client->statuses[$this->stream] ?? null, $this->client->bodies[$this->stream]];
        }
        $answer = $this->client->read();

        return [$answer?->status, $answer?->body];
    }

    private function framed(string $text): string
    {
        return $this->how === 'chunks' ? dechex(strlen($text)) . "\r\n$text\r\n" : $text;
    }
}
