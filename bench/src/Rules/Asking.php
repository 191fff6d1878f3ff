<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

use Howdah\Bench\Load\Answer;
use Howdah\Bench\Load\WrongAnswer;

/** One contender's server, asked by a checker of rules. */
final readonly class Asking
{
    public function __construct(private string $contender, private int $port)
    {
    }

    /** @param string|null $body of a POST */
    public function for(string $path, ?string $body = null): Answer
    {
        $connection = Answer::ask($this->port, $path, $body);

        return $this->sound($path, $connection === null ? null : Answer::read($connection));
    }

    /**
     * Bytes that are written one after another, each when the one before it is on its way: a server reads part of a request.
     *
     * @param list<string> $parts of one request
     */
    public function inParts(string $path, array $parts): Answer
    {
        $connection = @stream_socket_client("tcp://127.0.0.1:$this->port");
        if ($connection !== false) {
            stream_set_timeout($connection, 20);
            $socket = socket_import_stream($connection);
            $socket === false || socket_set_option($socket, SOL_TCP, TCP_NODELAY, 1);
            foreach ($parts as $number => $part) {
                usleep($number === 0 ? 0 : 30_000);
                fwrite($connection, $part);
            }
        }

        return $this->sound($path, $connection === false ? null : Answer::read($connection));
    }

    /** So many requests that are under way at the same time. */
    public function together(string $path, int $number): void
    {
        $connections = array_map(fn () => Answer::ask($this->port, $path), range(1, $number));
        foreach ($connections as $connection) {
            $this->sound($path, $connection === null ? null : Answer::read($connection));
        }
    }

    public function json(string $path, string $body): mixed
    {
        $value = json_decode($body, true);
        $this->demand(json_last_error() === JSON_ERROR_NONE, $path, 'the body is no JSON');

        return $value;
    }

    /** @param string $fault what is wrong where it is not right */
    public function demand(bool $right, string $path, string $fault): void
    {
        $right || throw new WrongAnswer("$this->contender, $path: $fault");
    }

    private function sound(string $path, ?Answer $answer): Answer
    {
        if ($answer === null) {
            throw new WrongAnswer("$this->contender, $path: no whole answer came");
        }
        $this->demand($answer->status === 200, $path, "status $answer->status, not 200");
        $this->demand($answer->body !== '', $path, 'the body is empty');

        return $answer;
    }
}
