<?php

// The first request leaves an error in OpenSSL's queue and waits; the second looks for errors meanwhile.

declare(strict_types=1);

$key = str_repeat('k', 16);
if ($_GET['n'] === '0') {
    // The tag is too long, which ext/openssl does not look into.
    @openssl_decrypt('x', 'aes-128-gcm', $key, OPENSSL_RAW_DATA, str_repeat('i', 12), str_repeat('t', 99));
    usleep(20_000);
    // OpenSSL 3.0 says one thing about it, 3.5 two.
    $errors = [];
    while (($error = openssl_error_string()) !== false) {
        $errors[] = $error;
    }
    $own = array_filter($errors, static fn (string $error): bool => str_starts_with($error, 'error:'));
    echo $own !== [] && $own === $errors ? 'right 0' : 'wrong 0: ' . implode(', ', $errors);
} else {
    usleep(10_000);
    $error = openssl_error_string();
    echo $error === false ? 'right 1' : "wrong 1: {$error}";
}
