<?php

/* What engine/sapi/functions.c gives to PHP, for phpstan and editors: never loaded. */

declare(strict_types=1);

namespace Howdah;

/** @return array<string, mixed> */
function status(): array
{
    return [];
}

/** @return list<?string> as many as names */
function request_variables(string ...$names): array
{
    return array_fill(0, count($names), null);
}
