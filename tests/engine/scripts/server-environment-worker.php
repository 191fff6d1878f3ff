<?php

/*
 * Each realm has an environment of its own: one changes a variable, one removes it, one adds another, one leaves all as it is.
 * $_SERVER has to tell each of them its own, in each of its requests.
 */

$kind = random_int(0, 3);
$own = 'of realm ' . bin2hex(random_bytes(4));
match ($kind) {
    0 => putenv("HOWDAH_TEST_NAME=$own"),
    1 => putenv('HOWDAH_TEST_NAME'),
    2 => putenv("HOWDAH_TEST_MORE=$own"),
    3 => true,
};
$expected = [
    'HOWDAH_TEST_EMPTY' => '',
    'HOWDAH_TEST_NAME' => match ($kind) {
        0 => $own,
        1 => null,
        2, 3 => 'from outside',
    },
    'HOWDAH_TEST_MORE' => $kind === 2 ? $own : null,
    'HOWDAH_TEST_LONG' => str_repeat('long ', 1000),
    7 => 'seven',
];

$answer = static function () use ($expected): void {
    foreach ($expected as $name => $value) {
        if (($_SERVER[$name] ?? null) !== $value) {
            echo "$name is " . var_export($_SERVER[$name] ?? null, true) . ', not ' . var_export($value, true);

            return;
        }
    }
    $_SERVER['HOWDAH_TEST_NAME'] = $_SERVER['HOWDAH_TEST_LONG'] .= 'written';
    usleep(100);
    echo 'own';
};
while (frankenphp_handle_request($answer)) {
}
