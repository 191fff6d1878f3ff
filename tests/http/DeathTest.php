<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * A realm dies alone: its client gets what php-fpm answers (where php-fpm's child crashes: a 500), its neighbours, who wait
 * and compute in the same worker, answer as if nothing were, and what it held is free.
 */
#[Group('realms')]
final class DeathTest extends DeathTestCase
{
    private const MEMORY = 'Allowed memory size of 33554432 bytes exhausted';
    private const STACK = 'Maximum call stack size of';
    private const FATAL = 'Class Broken contains 1 abstract method';
    private const UNCAUGHT = 'Uncaught RuntimeException: thrown on purpose';

    /** How (app/dying/deaths.php) => status, body, what is logged. */
    private const DEATHS = [
        'memory' => [500, '', self::MEMORY],
        'memory-in-c-code' => [500, '', self::MEMORY],
        'memory-in-destructor' => [500, '', self::MEMORY],
        'memory-in-destructor-at-the-end' => [500, '', self::MEMORY],
        'memory-in-output-callback' => [500, 'body', self::MEMORY],
        'memory-in-output-callback-at-the-end' => [500, '', self::MEMORY],
        'memory-in-shutdown-function' => [500, '', self::MEMORY],
        'memory-in-fiber' => [500, '', self::MEMORY],
        'at-once' => [500, '', self::MEMORY],
        'recursion' => [500, '', self::MEMORY],
        'recursion-in-generator' => [500, '', self::MEMORY],
        'recursion-of-php-code-in-fiber' => [500, '', self::MEMORY],
        'recursion-in-array-map' => [500, '', self::STACK],
        'recursion-in-usort' => [500, '', self::STACK],
        'recursion-in-preg-replace-callback' => [500, '', self::STACK],
        'recursion-in-to-string' => [500, '', self::STACK],
        // PHP 8.3 and later throw where Howdah ends an 8.2 request: what was in the buffer is sent.
        'recursion-in-output-callback' => [500, PHP_VERSION_ID < 80300 ? '' : 'body', self::STACK],
        'recursion-in-shutdown-function' => [500, 'body', self::STACK],
        'recursion-in-destructor' => [500, '', self::STACK],
        'recursion-in-json-serializable' => [500, '', self::STACK],
        'recursion-in-json-serializable-at-the-end' => [500, 'body', self::STACK],
        'recursion-in-reflection' => [500, '', self::STACK],
        'recursion-in-reflection-at-the-end' => [500, 'body', self::STACK],
        'recursion-in-fiber' => [500, '', self::STACK],
        'recursion-in-fiber-in-fiber' => [500, '', self::STACK],
        // A php-fpm child would die.
        'nested-objects' => [200, 'freed', ''],
        'nested-objects-in-fiber' => [200, 'freed', ''],
        'fatal-error-in-destructor' => [500, '', self::FATAL],
        'fatal-error-in-destructor-at-the-end' => [500, 'body', self::FATAL],
        'fatal-error-in-error-handler' => [500, '', self::FATAL],
        'fatal-error-in-session-write-handler' => [500, 'body', self::FATAL],
        'fatal-error-in-shutdown-function' => [500, 'body', self::FATAL],
        'fatal-error-in-output-callback' => [500, '', self::FATAL],
        'fatal-error-in-autoloader' => [500, '', self::FATAL],
        'fatal-error-in-fiber-beside-a-suspended-one' => [500, '', self::FATAL],
        'exception-in-shutdown-function' => [500, 'body', self::UNCAUGHT],
        'exception-in-destructor-at-the-end' => [500, 'body', self::UNCAUGHT],
        'exception-in-header-callback' => [500, '', self::UNCAUGHT],
        'exception-in-exception-handler' => [500, '', self::UNCAUGHT],
        'exit-in-output-callback' => [200, 'body', ''],
        'exit-in-output-callback-at-the-end' => [200, '', ''],
        'exit-in-shutdown-function' => [200, 'body left', ''],
        'exit-in-destructor' => [200, 'body left', ''],
        'exit-in-destructor-at-the-end' => [200, 'bodyleft', ''],
        'exit-in-error-handler' => [200, 'left', ''],
        'exit-in-generator' => [200, 'body left', ''],
        'exit-beside-a-suspended-generator' => [200, 'left finally', ''],
        'exit-in-fiber' => [200, 'left', ''],
        'exit-beside-a-suspended-fiber' => [200, 'left finally', ''],
    ];

    /** What PHP left in the middle of an allocation, and the stacks of suspended Fibers, are given up with the realm. */
    private const ENDS_ITS_REALM = ['at-once', 'memory-in-fiber', 'fatal-error-in-fiber-beside-a-suspended-one'];

    /** @return iterable<string, array{string, string, int, string, string}> */
    public static function deaths(): iterable
    {
        foreach (self::modes() as [$mode]) {
            foreach (self::DEATHS as $how => $expected) {
                yield "$mode: $how" => [$mode, $how, ...$expected];
            }
        }
    }

    #[DataProvider('deaths')]
    public function test_it_dies_alone_and_leaves_nothing(
        string $mode,
        string $how,
        int $status,
        string $body,
        string $log,
    ): void {
        $server = $this->server($mode);
        $workers = $server->workers();
        $estate = new Estate();
        $descriptors = self::idleDescriptors($server);
        $logged = strlen($server->errors());

        $responses = $server->client->all([self::victim($how, $estate), ...Neighbours::requests($estate->death())]);

        $victim = array_shift($responses);
        self::assertSame([$status, $body], [$victim?->status, $victim?->body]);
        self::assertUnharmed($responses);
        self::assertGreaterThan(8, $estate->victim()['busy'], 'the neighbours were not there');
        $errors = static fn (): string => substr($server->errors(), $logged);
        self::assertTrue($server->eventually(static fn (): bool => str_contains($errors(), $log)), $errors());
        $estate->assertReleased();
        $estate->assertPersistentConnectionIs($mode === 'classic' && !in_array($how, self::ENDS_ITS_REALM, true));
        unset($estate);
        // The connection that classic mode keeps is the only thing that is left.
        $left = static fn (): array => array_values(array_diff(self::descriptors($workers[0]), $descriptors));
        self::assertTrue($server->eventually(static fn (): bool => $left() === []), implode(', ', $left()));
        self::assertSame('victim', $server->client->get('/echo?text=victim')->body);
        self::assertSame($workers, $server->workers(), 'a worker was lost');
    }

    /** PHP forgets them: their destructors are not called. Each would be a mapping and a half, and 258 MB of address space. */
    #[DataProvider('modes')]
    public function test_stacks_of_suspended_fibers_are_given_back(string $mode): void
    {
        $server = $this->ownServer($mode);
        $maps = static fn (): int => count(file("/proc/{$server->workers()[0]}/maps") ?: []);
        $die = static function (int $times) use ($server): void {
            for ($i = 0; $i < $times; $i++) {
                $how = $i % 2 ? 'memory-in-fiber' : 'fatal-error-in-fiber-beside-a-suspended-one';
                self::assertSame(500, $server->client->get("/die?how=$how")->status);
            }
        };
        $die(10);
        $before = $maps();
        $die(50);

        self::assertTrue($server->eventually(static fn (): bool => $maps() < $before + 25));
        self::assertSame('victim', $server->client->get('/echo?text=victim')->body);
    }
}
