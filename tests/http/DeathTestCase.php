<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

/** Victims die among neighbours (app/dying) in the one worker of a server. */
abstract class DeathTestCase extends HttpTestCase
{
    protected const APP = __DIR__ . '/app/dying';

    /** @var array<int, true> */
    private static array $warm = [];

    /**
     * The request of one who will die, with an upload. It waits until its neighbours are there, and so many have begun in all
     * workers.
     *
     * @return array{string, array<int, mixed>}
     */
    protected static function victim(string $how, Estate $estate, int $begun = Neighbours::COUNT): array
    {
        $query = ['how' => $how, 'folder' => $estate->folder, 'neighbours' => Neighbours::COUNT, 'begun' => $begun];
        $upload = new \CURLStringFile(str_repeat('upload', 1000), 'upload.txt');

        return ['/victim?' . http_build_query($query), [CURLOPT_POST => true, CURLOPT_POSTFIELDS => ['upload' => $upload]]];
    }

    /** @return list<string> what a server's worker has open once it has served some, sorted */
    protected static function idleDescriptors(Server $server): array
    {
        if (!isset(self::$warm[$server->pid])) {
            self::assertUnharmed($server->client->all(Neighbours::requests()));
            self::$warm[$server->pid] = true;
        }

        return self::descriptors($server->workers()[0]);
    }

    /** @return list<string> what the descriptors of a process refer to, sorted */
    protected static function descriptors(int $pid): array
    {
        $names = array_map(static fn (string $link): string => (string) @readlink($link), glob("/proc/$pid/fd/*") ?: []);
        // Inode numbers differ.
        $names = preg_replace('/:\[\d+\]$/', '', $names);
        sort($names);

        return $names;
    }

    /** @param list<Response> $responses */
    protected static function assertUnharmed(array $responses): void
    {
        self::assertSame(Neighbours::answers(), array_map(static fn (Response $each): string => $each->body, $responses));
    }
}
