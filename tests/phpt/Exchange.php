<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** One request on its way: a connection of its own, never blocking. */
final class Exchange
{
    /** @var resource */
    public readonly mixed $socket;
    public readonly float $started;
    public ?Answer $answer = null;
    private string $unsent;
    private string $received = '';

    /**
     * @param float  $seconds how long to wait for the end
     * @param string $address tls:// does not ask who the server is
     */
    public function __construct(
        int $port,
        Request $request,
        private readonly float $seconds,
        string $address = 'tcp://127.0.0.1',
    ) {
        $this->started = microtime(true);
        $this->unsent = $request->bytes;
        $context = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]);
        $socket = @stream_socket_client("$address:$port", $code, $message, 10, STREAM_CLIENT_CONNECT, $context);
        if ($socket === false) {
            throw new Failure("no connection to the server on port $port: $message");
        }
        stream_set_blocking($socket, false);
        stream_set_read_buffer($socket, 0);
        $this->socket = $socket;
        $this->send();
    }

    public function isSending(): bool
    {
        return $this->unsent !== '';
    }

    public function send(): void
    {
        $sent = @fwrite($this->socket, $this->unsent);
        // A server that answers before it has read all: what it says is read below.
        $this->unsent = $sent === false ? '' : substr($this->unsent, $sent);
    }

    public function receive(): void
    {
        while (is_string($bytes = @fread($this->socket, 262144)) && $bytes !== '') {
            $this->received .= $bytes;
        }
        if (feof($this->socket)) {
            $this->end(Answer::of($this->received));
        }
    }

    /** All that came until the end. */
    public function bytes(): string
    {
        return $this->received;
    }

    public function lookAtTheClock(): void
    {
        if ($this->answer === null && microtime(true) - $this->started > $this->seconds) {
            $this->end(Answer::broken("no end after {$this->seconds} s", $this->received));
        }
    }

    private function end(Answer $answer): void
    {
        $this->answer = $answer;
        fclose($this->socket);
    }
}
