<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** Requests that are in flight while something dies beside them: most of them wait, each in its way, and some compute. */
final class Neighbours
{
    /** More than eight. The last ones compute; the fiber is there twice, because its stack is a mapping of its own. */
    private const KINDS = ['sleep', 'socket', 'child', 'fiber', 'lock', 'sleep', 'fiber', 'compute', 'compute'];

    public const COUNT = 9;

    /** @return list<string> of requests that stay until there is this file, if one is named, and a little longer */
    public static function requests(string $until = ''): array
    {
        $uris = [];
        foreach (self::KINDS as $id => $kind) {
            $uris[] = "/neighbour?kind=$kind&id=$id&until=" . urlencode($until);
        }

        return $uris;
    }

    /** @return list<string> what each of them answers, computed here */
    public static function answers(): array
    {
        /** @var list<string>|null $answers */
        static $answers = null;

        return $answers ??= array_map(self::answer(...), array_keys(self::KINDS), self::KINDS);
    }

    private static function answer(int $id, string $kind): string
    {
        $value = sha1("neighbour $id");
        for ($i = 0; $i < ($kind === 'compute' ? 50_000 : 1000); ++$i) {
            $value = sha1($value);
        }

        return "$id $value";
    }
}
