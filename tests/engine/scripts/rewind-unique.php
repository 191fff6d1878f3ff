<?php

/**
 * Draws from all that draws, once while it boots and once for each request: a line "what value" each. The libraries are those
 * of Laravel's example, which keep seeds, nodes and clocks of their own. The engine that the boot keeps is seeded by itself.
 */

declare(strict_types=1);

use Illuminate\Support\Str;
use Ramsey\Uuid\Uuid as RamseyUuid;
use Symfony\Component\Uid\Ulid;
use Symfony\Component\Uid\Uuid;
use Symfony\Component\Uid\UuidV7;

require dirname(__DIR__, 3) . '/examples/laravel/vendor/autoload.php';

/** @return array<string, string|int|float> */
function draws(): array
{
    $many = range(1, 40);
    shuffle($many);
    $picked = array_rand(array_flip(range(1, 10_000)), 8);

    return [
        'mt_rand' => mt_rand() . '.' . mt_rand(), 'rand' => rand() . '.' . rand(),
        'lcg_value' => lcg_value() . lcg_value(), 'shuffle' => implode('.', $many),
        'array_rand' => implode('.', is_array($picked) ? $picked : []), 'str_shuffle' => str_shuffle(implode(range('a', 'z'))),
        'random_bytes' => bin2hex(random_bytes(8)), 'random_int' => random_int(0, PHP_INT_MAX), 'uniqid' => uniqid('', true),
        'openssl' => bin2hex(openssl_random_pseudo_bytes(8) ?: ''), 'session' => session_create_id() ?: '',
        'engine' => (new Random\Randomizer())->getInt(0, PHP_INT_MAX),
        'ramsey 1' => RamseyUuid::uuid1()->toString(), 'ramsey 4' => RamseyUuid::uuid4()->toString(),
        'ramsey 6' => RamseyUuid::uuid6()->toString(), 'ramsey 7' => RamseyUuid::uuid7()->toString(),
        'symfony 1' => (string) Uuid::v1(), 'symfony 4' => (string) Uuid::v4(), 'symfony 6' => (string) Uuid::v6(),
        'symfony 7' => (string) new UuidV7(), 'ulid' => (string) new Ulid(),
        'Str::uuid' => (string) Str::uuid(), 'Str::orderedUuid' => (string) Str::orderedUuid(),
        'Str::uuid7' => (string) Str::uuid7(), 'Str::ulid' => (string) Str::ulid(), 'Str::random' => Str::random(),
        'Str::password' => Str::password(),
    ];
}

draws();
$kept = new Random\Randomizer(new Random\Engine\Mt19937());

while (
    frankenphp_handle_request(static function () use ($kept): void {
        foreach (draws() + ['kept' => $kept->getInt(0, PHP_INT_MAX)] as $what => $value) {
            echo "{$what}\t{$value}\n";
        }
    })
) {
}
