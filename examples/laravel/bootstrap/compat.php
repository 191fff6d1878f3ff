<?php

/**
 * Stands in for packages that composer.json replaces: their few names that the framework uses on a web request.
 */

declare(strict_types=1);

namespace Symfony\Component\Clock {
    interface ClockInterface extends \Psr\Clock\ClockInterface
    {
        public function sleep(float|int $seconds): void;

        public function withTimeZone(\DateTimeZone|string $timezone): static;
    }
}

namespace {
    if (!function_exists('array_first')) {
        /**
         * @template T
         * @param array<T> $array
         * @return T|null
         */
        function array_first(array $array): mixed
        {
            return $array === [] ? null : $array[array_key_first($array)];
        }

        /**
         * @template T
         * @param array<T> $array
         * @return T|null
         */
        function array_last(array $array): mixed
        {
            return $array === [] ? null : $array[array_key_last($array)];
        }
    }
}
