<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

/** Where two servers' answers to one question differ, once what must differ is put aside: dates, ports, random names, framing. */
final class Comparison
{
    /** @var array<string, string> by the part of the answer: what both said */
    public array $differences = [];

    /**
     * @param list<Reply> $fpm
     * @param list<Reply> $howdah
     */
    public function __construct(array $fpm, array $howdah)
    {
        if (count($fpm) !== count($howdah)) {
            $this->differences['answers'] = self::both(count($fpm), count($howdah));

            return;
        }
        foreach ($fpm as $number => $reply) {
            $this->compare($number === 0 ? '' : $number + 1 . '.', $reply, $howdah[$number]);
        }
    }

    /** Where the status differs nothing else is comparable. */
    private function compare(string $prefix, Reply $fpm, Reply $howdah): void
    {
        if ($fpm->status !== $howdah->status) {
            $code = static fn (Reply $reply): string => explode(' ', $reply->status)[1] ?? '';
            $part = $code($fpm) === $code($howdah) ? 'reason' : "status:{$code($fpm)}-{$code($howdah)}";
            $this->differences[$prefix . $part] = self::both([$fpm->status, $fpm->body], [$howdah->status, $howdah->body]);
            if ($part !== 'reason') {
                return;
            }
        }
        if ($fpm->whole !== $howdah->whole) {
            $this->differences["{$prefix}end"] = self::both($fpm->whole, $howdah->whole);
        }
        $this->compareHeaders($prefix, $fpm, $howdah);
        $this->compareBodies($prefix, $fpm->body, $howdah->body);
    }

    private function compareHeaders(string $prefix, Reply $fpm, Reply $howdah): void
    {
        foreach (array_keys($fpm->headers + $howdah->headers) as $name) {
            [$there, $here] = [$fpm->headers[$name] ?? [], $howdah->headers[$name] ?? []];
            // Howdah knows the length of what has left in one piece. That it is right, Reply::whole tells.
            $isFraming = $name === 'transfer-encoding' || $name === 'content-length' && $there === [];
            if ($there !== $here && !$isFraming) {
                $this->differences["{$prefix}header:$name"] = self::both($there, $here);
            }
        }
    }

    private function compareBodies(string $prefix, string $fpm, string $howdah): void
    {
        if ($fpm === $howdah) {
            return;
        }
        [$there, $here] = [json_decode($fpm, true), json_decode($howdah, true)];
        if (!is_array($there) || !is_array($here)) {
            $this->differences["{$prefix}body"] = self::both($fpm, $howdah);

            return;
        }
        $before = count($this->differences);
        foreach (array_keys($there + $here) as $key) {
            [$a, $b] = [$there[$key] ?? null, $here[$key] ?? null];
            if ($a !== $b || array_key_exists($key, $there) !== array_key_exists($key, $here)) {
                $part = "{$prefix}body:" . substr((string) preg_replace('/\s/', '_', (string) $key), 0, 40);
                $this->differences[$part] = self::both($a, $b);
            }
        }
        if (count($this->differences) === $before) {
            $this->differences["{$prefix}body"] = self::both($fpm, $howdah);
        }
    }

    private static function both(mixed $fpm, mixed $howdah): string
    {
        $text = static fn (mixed $value): string => substr(is_string($value) ? $value : var_export($value, true), 0, 2000);

        return "php-fpm: {$text($fpm)}\nHowdah:  {$text($howdah)}";
    }
}
