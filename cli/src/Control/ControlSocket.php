<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\NginxConfig;

/** The socket in a server's runtime folder at which any of its workers answers. */
final readonly class ControlSocket
{
    /** More than any answer has: who answers may not be who it should be. */
    private const MOST = 65536;

    public function __construct(private string $folder)
    {
    }

    /**
     * What a worker says of itself ("ready", "booting", "failing"), and the number of its configuration; null when none
     * answers.
     *
     * @return array{string, int}|null
     */
    public function ask(): ?array
    {
        $answer = $this->request("GET / HTTP/1.0\r\n\r\n");

        return preg_match('/\r\n\r\n(\w+) (\d+)$/D', $answer, $match) === 1 ? [$match[1], (int) $match[2]] : null;
    }

    /** The answer as it comes; empty when there is none. */
    public function request(string $text): string
    {
        $socket = @stream_socket_client("unix://{$this->folder}/" . NginxConfig::CONTROL_SOCKET, $code, $message, 1);
        if ($socket === false) {
            return '';
        }
        stream_set_timeout($socket, 1);
        fwrite($socket, $text);
        $answer = (string) stream_get_contents($socket, self::MOST);
        fclose($socket);

        return $answer;
    }
}
