<?php

/**
 * What a probe's endpoint answered, read from JSON that may be anything.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

final class Answer
{
    /**
     * @param list<string> $wrong
     * @param list<string> $cookies which ones the application sets besides the one that every probe sets
     */
    private function __construct(
        public readonly ?string $id,
        public readonly bool $ok,
        public readonly array $wrong,
        public readonly int $worker,
        public readonly int $realm,
        public readonly int $start,
        public readonly int $end,
        public readonly ?int $session,
        public readonly bool $trailer,
        public readonly array $cookies,
    ) {
    }

    public static function parse(string $body): ?self
    {
        // The shutdown function may have added a second line.
        $json = json_decode(explode("\n", $body, 2)[0], true);
        if (!is_array($json) || !is_array($json['wrong'] ?? null)) {
            return null;
        }
        $wrong = [];
        foreach ($json['wrong'] as $what => $pair) {
            $known = is_array($pair) && is_string($pair['expected'] ?? null) && is_string($pair['actual'] ?? null);
            $wrong[] = "{$what}: " . ($known ? "expected {$pair['expected']}, saw {$pair['actual']}" : json_encode($pair));
        }
        $number = static fn (string $key): int => is_int($json[$key] ?? null) ? $json[$key] : 0;

        return new self(
            is_string($json['id'] ?? null) ? $json['id'] : null,
            ($json['ok'] ?? null) === true,
            $wrong,
            $number('worker'),
            $number('realm'),
            $number('start'),
            $number('end'),
            is_int($json['session'] ?? null) ? $json['session'] : null,
            ($json['trailer'] ?? null) === true,
            array_values(array_filter(is_array($json['cookies'] ?? null) ? $json['cookies'] : [], is_string(...))),
        );
    }
}
