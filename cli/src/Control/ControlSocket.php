<?php

declare(strict_types=1);

namespace Howdah\Cli\Control;

use Howdah\Cli\NginxConfig;

/** The socket in a server's runtime folder at which any of its workers answers. */
final readonly class ControlSocket
{
    /** More than any answer has: who answers may not be who it should be. */
    private const MOST = 65536;

    /** For all of it: who sends a byte now and then shall not hold anybody. */
    private const PATIENCE_NANOSECONDS = 1_000_000_000;

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
        $path = "{$this->folder}/" . NginxConfig::CONTROL_SOCKET;
        $end = hrtime(true) + self::PATIENCE_NANOSECONDS;
        $socket = is_link($path) ? false : @stream_socket_client("unix://$path", $code, $message, 1);
        if ($socket === false) {
            return '';
        }
        stream_set_blocking($socket, false);
        fwrite($socket, $text);
        $answer = '';
        while (!feof($socket) && strlen($answer) < self::MOST && ($left = $end - hrtime(true)) > 0) {
            [$read, $none] = [[$socket], null];
            if (@stream_select($read, $none, $none, 0, intdiv($left, 1000)) > 0) {
                $answer .= (string) fread($socket, self::MOST);
            }
        }
        fclose($socket);

        return $answer;
    }
}
