<?php

declare(strict_types=1);

namespace Howdah\SessionTests;

use PHPUnit\Framework\Assert;

/** One user of a crowd: asks one thing after another on one connection, by chance, and knows what his session must hold. */
final class User
{
    /** @var array<string, int|string> what is in the session */
    private array $data = [];

    private ?string $id = null;
    private string $do = '';
    private string $word = '';
    private string $received = '';
    public int $answers = 0;

    /** @param resource $socket */
    public function __construct(
        private readonly string $name,
        private readonly string $handler,
        private readonly string $module,
        public readonly mixed $socket,
    ) {
    }

    public function ask(): void
    {
        $chance = mt_rand(1, 100);
        $this->do = match (true) {
            $this->id === null => 'visit',
            $chance <= 4 => 'destroy',
            $chance <= 10 => 'regenerate',
            $chance <= 13 => 'abort',
            $chance <= 16 => 'nothing',
            default => 'visit',
        };
        $query = ['do' => $this->do, 'handler' => $this->handler];
        $this->word = $this->do === 'visit' && $chance % 5 === 0 ? dechex(mt_rand()) : '';
        if ($this->id === null) {
            $query['user'] = $this->name;
        }
        if ($this->word !== '') {
            $query['word'] = $this->word;
        }
        if ($chance % 3 === 0) {
            $query['wait'] = (string) mt_rand(1, 2000);
        }
        if ($this->do === 'regenerate') {
            $query['delete'] = '1';
        }
        $cookie = $this->id === null ? '' : "Cookie: PHPSESSID=$this->id\r\n";
        fwrite($this->socket, 'GET /?' . http_build_query($query) . " HTTP/1.1\r\nHost: localhost\r\n$cookie\r\n");
    }

    /** Reads what has come; $seed is told where something is wrong. True when the answer is whole; then it has been compared with what it must be. */
    public function hears(string $seed): bool
    {
        $text = fread($this->socket, 65_536);
        Assert::assertNotSame('', (string) $text, "$seed: $this->name: the connection was closed: $this->received");
        $this->received .= $text;
        $end = strpos($this->received, "\r\n\r\n");
        if ($end === false || preg_match('~^Content-Length: (\d+)~mi', $this->received, $match) !== 1) {
            return false;
        }
        $body = substr($this->received, $end + 4);
        if (strlen($body) < (int) $match[1]) {
            return false;
        }
        $this->compare(substr($this->received, 0, $end), $body, $seed);
        $this->received = '';
        $this->answers++;

        return true;
    }

    private function compare(string $head, string $body, string $seed): void
    {
        $what = "$seed: $this->name ($this->handler) asked to $this->do: $head\n$body";
        $answer = json_decode($body, true);
        Assert::assertIsArray($answer, $what);
        Assert::assertSame([PHP_SESSION_NONE, '', false, 'PHPSESSID', $this->module], $answer['before'], $what);
        if ($this->do === 'visit' || $this->do === 'regenerate' || $this->do === 'destroy') {
            Assert::assertSame($this->data, $answer['had'], $what);
        }
        match ($this->do) {
            'visit', 'regenerate' => $this->visited($answer, $head, $what),
            'destroy' => $this->forget(),
            default => null,
        };
    }

    /** @param array<array-key, mixed> $answer */
    private function visited(array $answer, string $head, string $what): void
    {
        $this->data['count'] = (int) ($this->data['count'] ?? 0) + 1;
        if ($this->id === null) {
            $this->data['user'] = $this->name;
        }
        if ($this->word !== '') {
            $this->data['word'] = $this->word;
        }
        Assert::assertSame($this->data, $answer['has'], $what);
        $isNew = $this->id === null || $this->do === 'regenerate';
        $given = preg_match('~^Set-Cookie: PHPSESSID=([^;\s]+)~mi', $head, $match) === 1 ? $match[1] : null;
        Assert::assertSame($isNew, $given !== null, $what);
        Assert::assertNotSame($this->id, $given, $what);
        $this->id = $given ?? $this->id;
        Assert::assertSame($this->id, $answer['id'], $what);
    }

    private function forget(): void
    {
        [$this->id, $this->data] = [null, []];
    }
}
