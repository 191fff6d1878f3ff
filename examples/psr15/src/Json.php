<?php

declare(strict_types=1);

namespace App;

use Nyholm\Psr7\Response;

final class Json
{
    /** @param array<string, mixed> $value */
    public static function response(array $value, int $status = 200): Response
    {
        $text = json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);

        return new Response($status, ['Content-Type' => 'application/json'], $text);
    }
}
