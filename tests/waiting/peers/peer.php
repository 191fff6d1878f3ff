<?php

/**
 * A peer that takes its time: `php peer.php SETTINGS`, those of Component\SlowPeer as JSON. Its lines, with S seconds:
 *
 *   echo S TEXT       after S: TEXT and a line feed (on UDP each datagram is one such line, and TEXT comes alone)
 *   halves S TEXT     half of TEXT at once, the rest and a line feed after S
 *   call S PORT TEXT  after S: connects to that port of this machine, and says TEXT there
 *   stall S           reads nothing for S; then, when all has come up to the next line feed: done
 *   jam S             the number of a port that nobody gets through to for S; it understands the same
 *   GET /head?s=S     HTTP: a response whose head comes after S
 *   GET /body?s=S     HTTP: one whose head and first half come at once, the rest after S
 *   POST /head?s=S    HTTP: the same after a body, of which nothing is looked at
 */

declare(strict_types=1);

namespace Howdah\WaitingTests\Peers;

use RuntimeException;

require __DIR__ . '/Loop.php';

/** One connection: all that it says is short, and fits into the kernel's buffer. */
final class Connection
{
    private string $in = '';

    /** Until the next line feed there is nothing but data. */
    private bool $swallowing = false;

    /** @param resource $stream */
    public function __construct(private readonly Loop $loop, private readonly mixed $stream)
    {
        stream_set_blocking($stream, false);
        $this->listen();
    }

    private function listen(): void
    {
        $this->loop->onReadable($this->stream, $this->read(...));
    }

    private function read(): void
    {
        while (($data = (string) @fread($this->stream, 1 << 20)) !== '') {
            if ($this->swallowing) {
                if (str_contains($data, "\n")) {
                    $this->swallowing = false;
                    $this->say("done\n");
                }
                continue;
            }
            $this->in .= $data;
            while (($line = $this->line()) !== null) {
                if ($this->answer($line)) {
                    return;
                }
            }
        }
        if (feof($this->stream)) {
            $this->loop->close($this->stream);
        }
    }

    /** The next line, or the whole head of an HTTP request that has its body; null when it has not come yet. */
    private function line(): ?string
    {
        $ending = preg_match('/^(GET|POST) /', $this->in) === 1 ? "\r\n\r\n" : "\n";
        $end = strpos($this->in, $ending);
        if ($end === false) {
            return null;
        }
        $line = substr($this->in, 0, $end);
        $body = preg_match('/^Content-Length: *(\d+)/mi', $line, $match) === 1 ? (int) $match[1] : 0;
        if (strlen($this->in) < $end + strlen($ending) + $body) {
            return null;
        }
        $this->in = substr($this->in, $end + strlen($ending) + $body);

        return $line;
    }

    /** @return bool whether nothing is to be read now */
    private function answer(string $line): bool
    {
        [$verb, $seconds, $text] = explode(' ', "$line  ", 3);
        $text = rtrim($text);
        switch ($verb) {
            case 'echo':
                $this->sayAfter((float) $seconds, "$text\n");
                break;
            case 'halves':
                $this->say(substr($text, 0, intdiv(strlen($text), 2)));
                $this->sayAfter((float) $seconds, substr($text, intdiv(strlen($text), 2)) . "\n");
                break;
            case 'call':
                [$port, $text] = explode(' ', $text, 2);
                $this->loop->after((float) $seconds, static function () use ($port, $text): void {
                    // Who waited for us may have gone.
                    $stream = @stream_socket_client("tcp://127.0.0.1:$port");
                    if ($stream !== false) {
                        fwrite($stream, "$text\n");
                    }
                });
                break;
            case 'stall':
                $this->swallowing = true;
                $this->loop->ignore($this->stream);
                $this->loop->after((float) $seconds, $this->listen(...));

                return true;
            case 'jam':
                $this->say(jam($this->loop, (float) $seconds) . "\n");
                break;
            case 'GET':
            case 'POST':
                $this->http($seconds);
                break;
            default:
                throw new RuntimeException("what is $line?");
        }

        return false;
    }

    private function http(string $uri): void
    {
        [$path, $seconds] = explode('?s=', $uri);
        $head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 23\r\nConnection: close\r\n\r\n";
        $texts = $path === '/body' ? ["{$head}first half,", ' second half'] : ['', "{$head}first half, second half"];
        $this->say($texts[0]);
        $this->loop->after((float) $seconds, function () use ($texts): void {
            $this->say($texts[1]);
            if (is_resource($this->stream)) {
                $this->loop->close($this->stream);
            }
        });
    }

    private function sayAfter(float $seconds, string $text): void
    {
        $this->loop->after($seconds, fn () => $this->say($text));
    }

    private function say(string $text): void
    {
        if (is_resource($this->stream)) {
            @fwrite($this->stream, $text);
        }
    }
}

/** @return resource */
function listen(string $address, int $backlog = 511)
{
    $context = stream_context_create(['socket' => ['backlog' => $backlog]]);
    $flags = str_starts_with($address, 'udp:') ? STREAM_SERVER_BIND : STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;

    $socket = stream_socket_server($address, $code, $message, $flags, $context);

    return $socket ?: throw new RuntimeException("$address: $message");
}

/**
 * With no place left in the queue of connections the kernel drops who asks; the client's kernel asks again after 1, 3, 7 s.
 *
 * @return string the port
 */
function jam(Loop $loop, float $seconds): string
{
    $listener = listen('tcp://127.0.0.1:0', 0);
    $address = (string) stream_socket_get_name($listener, false);
    $first = stream_socket_client("tcp://$address");
    $loop->after($seconds, static function () use ($loop, $listener, $first): void {
        is_resource($first) && fclose($first);
        $loop->onReadable($listener, static function ($listener) use ($loop): void {
            $stream = @stream_socket_accept($listener, 0);
            if ($stream !== false) {
                new Connection($loop, $stream);
            }
        });
        // Who waited has got through by then, or has gone.
        $loop->after(5, static fn () => $loop->close($listener));
    });

    return substr($address, (int) strrpos($address, ':') + 1);
}

/** @param array{certificate: string, key: string} $settings */
function greet(Loop $loop, array $settings, mixed $listener): void
{
    assert(is_resource($listener));
    $stream = @stream_socket_accept($listener, 0);
    if ($stream === false) {
        return;
    }
    stream_set_blocking($stream, false);
    stream_context_set_option($stream, ['ssl' => ['local_cert' => $settings['certificate'], 'local_pk' => $settings['key']]]);
    $loop->onReadable($stream, static function ($stream) use ($loop): void {
        $done = @stream_socket_enable_crypto($stream, true, STREAM_CRYPTO_METHOD_TLS_SERVER);
        if ($done === false) {
            $loop->close($stream);
        } elseif ($done === true) {
            new Connection($loop, $stream);
        }
    });
}

/**
 * @var list<string> $argv
 * @var array{tcp: string, tls: string, udp: string, unix: string, certificate: string, key: string} $settings
 */
$settings = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR);
$loop = new Loop();
foreach (["tcp://127.0.0.1:{$settings['tcp']}", "unix://{$settings['unix']}"] as $address) {
    $loop->onReadable(listen($address), static function ($listener) use ($loop): void {
        $stream = @stream_socket_accept($listener, 0);
        if ($stream !== false) {
            new Connection($loop, $stream);
        }
    });
}
$loop->onReadable(listen("tcp://127.0.0.1:{$settings['tls']}"), static fn ($listener) => greet($loop, $settings, $listener));
$loop->onReadable(listen("udp://127.0.0.1:{$settings['udp']}"), static function ($socket) use ($loop): void {
    [, $seconds, $text] = explode(' ', (string) stream_socket_recvfrom($socket, 65535, 0, $from), 3);
    $loop->after((float) $seconds, static function () use ($socket, $text, $from): void {
        assert(is_string($from));
        stream_socket_sendto($socket, $text, 0, $from);
    });
});
echo "ready\n";
$loop->run();
