<?php

declare(strict_types=1);

namespace App\Probe;

/** For code that reads them: apart, as a realm whose code names $_SERVER makes it for each request. */
final class Superglobals
{
    /** @return array{query: array<array-key, mixed>, method: ?string} */
    public static function told(): array
    {
        return ['query' => $_GET, 'method' => $_SERVER['REQUEST_METHOD'] ?? null];
    }
}
