<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;

/**
 * Takes spans as an OpenTelemetry collector does, of a worker at a time, while the test looks. It answers as the test wishes,
 * or not at all.
 *
 * @phpstan-import-type Span from Otlp
 */
final class Collector
{
    /** @var list<?string> what it answers next, in this order; then that all is well. A null: nothing, it keeps the connection */
    public array $answers = [];

    /** @var list<string> those of all requests that it has got */
    public array $heads = [];

    public readonly string $url;

    private const GOOD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

    /** @var resource|null */
    private $listening;

    /** @var array<int, resource> by number */
    private array $open = [];

    /** @var array<int, string> what has come */
    private array $texts = [];

    /** @var list<Span> */
    private array $spans = [];

    /** @param bool $keeps whether it leaves connections open that it has answered on */
    public function __construct(string $address = '127.0.0.1', private readonly bool $keeps = false)
    {
        $listening = stream_socket_server("tcp://$address:0");
        Assert::assertIsResource($listening);
        $this->listening = $listening;
        $this->url = 'http://' . stream_socket_get_name($listening, false);
    }

    /** From now on connections are refused. */
    public function close(): void
    {
        if ($this->listening !== null) {
            // Programs that this one has started have it, too.
            stream_socket_shutdown($this->listening, STREAM_SHUT_RDWR);
            fclose($this->listening);
            $this->listening = null;
        }
    }

    /** How many connections it has that wait for its answer. */
    public function waiting(): int
    {
        $this->look();

        return count($this->open);
    }

    /** @return list<Span> all that it has got so far */
    public function spans(): array
    {
        $this->look();

        return $this->spans;
    }

    /** @return list<Span> all that it has got, as soon as one has this name */
    public function await(string $name): array
    {
        $names = fn (): array => array_column($this->spans(), 'name');
        Clock::await(fn (): bool => in_array($name, $names(), true), fn (): string => "$name in " . json_encode($names()));

        return $this->spans;
    }

    /** @return Span that has this name */
    public function span(string $name): array
    {
        return array_values(array_filter($this->await($name), static fn (array $span): bool => $span['name'] === $name))[0];
    }

    /**
     * @param Span $parent
     * @return array<string, Span> by name, the last of each; all spans of a request come in one batch
     */
    public function children(array $parent): array
    {
        $isOurs = static fn (array $span): bool => ($span['parentSpanId'] ?? '') === $parent['spanId'];
        $ours = array_filter($this->spans(), $isOurs);

        return array_column($ours, null, 'name');
    }

    public function forget(): void
    {
        $this->look();
        $this->spans = [];
        $this->heads = [];
    }

    private function look(): void
    {
        while ($this->listening !== null && ($one = @stream_socket_accept($this->listening, 0)) !== false) {
            stream_set_blocking($one, false);
            $this->open[] = $one;
            $this->texts[array_key_last($this->open)] = '';
        }
        foreach ($this->open as $number => $one) {
            while (($text = fread($one, 65536)) !== false && $text !== '') {
                $this->texts[$number] .= $text;
            }
            $this->take($number, feof($one));
        }
    }

    private function take(int $number, bool $ended): void
    {
        $text = $this->texts[$number];
        $parts = explode("\r\n\r\n", $text, 2);
        $hasLength = preg_match('/^Content-Length: (\d+)\r$/m', $parts[0], $length) === 1;
        $isWhole = $hasLength && strlen($parts[1] ?? '') >= (int) $length[1];
        if ($isWhole && $text !== 'answered') {
            Assert::assertSame((int) $length[1], strlen($parts[1] ?? ''));
            $this->heads[] = $parts[0];
            array_push($this->spans, ...Otlp::spans($parts[1] ?? ''));
            $answer = $this->answers === [] ? self::GOOD : array_shift($this->answers);
            if ($answer !== null) {
                fwrite($this->open[$number], $answer);
            }
            $this->texts[$number] = 'answered';
            $ended = $ended || $answer !== null && !$this->keeps;
        }
        if ($ended) {
            fclose($this->open[$number]);
            unset($this->open[$number], $this->texts[$number]);
        }
    }
}
