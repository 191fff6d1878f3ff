<?php

/* What scripts answer with: JSON, of bytes that may be no UTF-8. */

function tell(mixed $value): void
{
    $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR;
    echo json_encode(readable($value), $flags);
}

function readable(mixed $value): mixed
{
    if (is_array($value)) {
        $result = [];
        foreach ($value as $key => $one) {
            $result[readable($key)] = readable($one);
        }

        return $result;
    }

    return is_string($value) && preg_match('//u', $value) !== 1 ? 'hex:' . bin2hex($value) : $value;
}
