<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Deaths while another realm is being born, and in the middle of a birth: a worker script whose boot waits, and as long as the test likes. */
#[Group('realms')]
final class BirthTest extends DeathTestCase
{
    /** How to die, and what is logged. */
    private const DEATHS = [
        'memory' => 'Allowed memory size of 33554432 bytes exhausted',
        'recursion-in-array-map' => 'Maximum call stack size of',
        'fatal-error-in-destructor' => 'Class Broken contains 1 abstract method',
        'exception-in-exception-handler' => 'Uncaught RuntimeException: thrown on purpose',
        'exit-beside-a-suspended-fiber' => 'boots.php ended during boot',
        'recursion-in-fiber' => 'Maximum call stack size of',
        'memory-in-output-callback' => 'Allowed memory size of 33554432 bytes exhausted',
    ];

    private string $switch = '';

    protected function setUp(): void
    {
        $this->switch = (string) tempnam(sys_get_temp_dir(), 'howdah-boot-');
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        array_map(unlink(...), glob("{$this->switch}*") ?: []);
    }

    /** @return iterable<string, array{string, string}> */
    public static function deaths(): iterable
    {
        foreach (self::DEATHS as $how => $log) {
            yield $how => [$how, $log];
        }
    }

    /** The first answers come while the others boot: one of them dies then. */
    #[DataProvider('deaths')]
    public function test_a_realm_that_dies_while_others_boot_disturbs_no_boot(string $how): void
    {
        $server = $this->ownServer('worker', ...$this->boots(), ...['--warm=1']);
        $estate = new Estate();
        self::assertTrue($server->eventually(fn (): bool => $this->booted() === 1), 'the warm one');
        $door = new Door("{$this->switch}-door");

        $responses = $server->client->all(
            [self::victimAlone($how, $estate), ...Neighbours::requests()],
            static function () use ($door, $estate): void {
                if ($door->count() > 0) {
                    $estate->put('begun-to-boot');
                }
                if ($estate->has('victim')) {
                    $door->open();
                }
            },
        );

        $victim = array_shift($responses);
        self::assertSame(str_starts_with($how, 'exit') ? 200 : 500, $victim?->status);
        self::assertUnharmed($responses);
        $estate->assertReleased();
        // Nobody had booted when the victim spoke.
        $victim = $estate->victim();
        self::assertIsInt($victim['realms']);
        self::assertIsInt($victim['booting']);
        self::assertSame(1, $victim['realms'] - $victim['booting']);
        self::assertStringNotContainsString('during boot', $server->errors());
    }

    #[DataProvider('deaths')]
    public function test_a_boot_that_fails_is_logged_and_tried_again_while_the_old_realms_go_on(string $how, string $log): void
    {
        $server = $this->ownServer('worker', ...$this->boots(), ...['--warm=1']);
        self::assertTrue($server->eventually(fn (): bool => $this->booted() === 1));
        $workers = $server->workers();
        $descriptors = self::descriptors($workers[0]);
        file_put_contents($this->switch, $how);

        // One realm for all of them, and boots that fail meanwhile.
        self::assertUnharmed($server->client->all(Neighbours::requests()));
        self::assertTrue($server->eventually(fn (): bool => str_contains($server->errors(), $log)), $server->errors());
        $tells = 'a realm did not boot: the 1 that there are go on';
        self::assertTrue($server->eventually(fn (): bool => str_contains($server->errors(), $tells)), $server->errors());
        file_put_contents($this->switch, '');
        self::assertTrue($server->eventually(function () use ($server): bool {
            self::assertUnharmed($server->client->all(Neighbours::requests()));

            return $this->booted() > 1;
        }), 'it is not tried again');
        // Realms that live have a working directory each.
        $left = static fn (): array => array_diff(self::descriptors($workers[0]), $descriptors, [self::APP]);
        self::assertTrue($server->eventually(static fn (): bool => $left() === []), implode(', ', $left()));
        self::assertSame($workers, $server->workers());
    }

    /** @return list<string> */
    private function boots(): array
    {
        return ['--worker-script=' . self::APP . '/boots.php', "--ini=dying.boot={$this->switch}"];
    }

    private function booted(): int
    {
        return count(glob("{$this->switch}-booted-*") ?: []);
    }

    /** @return array{string, array<int, mixed>} one who waits until others boot, and not for its neighbours */
    private static function victimAlone(string $how, Estate $estate): array
    {
        [$uri, $options] = self::victim($how, $estate, 1);

        return [str_replace('neighbours=' . Neighbours::COUNT, 'neighbours=0', $uri), $options];
    }
}
