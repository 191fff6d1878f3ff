<?php

declare(strict_types=1);

namespace Howdah\Combined;

use CurlHandle;
use Random\Randomizer;

/** Random requests for the pages of the locations, and what clients do to them. */
final class Pages
{
    private const VERSIONS = [
        CURL_HTTP_VERSION_1_0,
        CURL_HTTP_VERSION_1_1,
        CURL_HTTP_VERSION_1_1,
        CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
    ];

    /** About 120 KB: more than nginx and the socket hold back. */
    private const LINES = 1000;

    public function __construct(private readonly Locations $locations, private readonly Randomizer $random)
    {
    }

    /** @return array{uri: string, second: bool, options: array<int, mixed>, leaves: bool} */
    public function next(): array
    {
        $number = $this->random->getInt(0, Locations::COUNT - 1);
        $kind = $this->locations->all[$number]['kind'];
        $page = ['kind' => $kind, 'lines' => $this->one([0, 1, 5, 40, 400, self::LINES])];
        if ($this->random->getInt(0, 1) === 1) {
            $page += ['every' => $this->one([1, 7, 50]), 'pause' => $this->one([0, 0, 300])];
        }
        $page['lines'] = min($page['lines'], ($page['pause'] ?? 0) > 0 ? 40 : self::LINES);
        $page += match ($this->random->getInt(0, 11)) {
            0 => ['status' => $this->one([404, 403, 500, 204, 304, 415])],
            1 => ['inside' => 3],
            2, 3 => $kind === 'text' ? ['known' => 1] : [],
            default => [],
        };
        $version = $this->one(self::VERSIONS);
        $options = [CURLOPT_HTTP_VERSION => $version, CURLOPT_HTTPHEADER => ['Expect:']];
        $options += match ($this->random->getInt(0, 6)) {
            0 => [CURLOPT_NOBODY => true],
            1 => [CURLOPT_POSTFIELDS => str_repeat('a=1&', $this->one([1, 300, 20_000]))],
            2 => [CURLOPT_CUSTOMREQUEST => 'PUT', CURLOPT_POSTFIELDS => str_repeat('xyz', 5000)],
            3 => [CURLOPT_RANGE => $this->one(['0-10', '5-', '-20', '3-5,9-12'])],
            4 => [CURLOPT_ENCODING => $this->one(['gzip', 'br', 'gzip, br'])],
            5 => [CURLOPT_COOKIE => 'a=b'],
            default => [],
        };
        $leaves = $this->random->getInt(0, 9) === 0;
        if ($leaves) {
            $after = $this->random->getInt(0, 3000);
            $options += $this->random->getInt(0, 1) === 0
                ? [CURLOPT_TIMEOUT_MS => $this->random->getInt(1, 20)]
                : [CURLOPT_WRITEFUNCTION => static function (CurlHandle $curl, string $data) use (&$after): int {
                    $after -= strlen($data);

                    return $after < 0 ? -1 : strlen($data);
                }];
        }

        return [
            'uri' => "/$number/?" . http_build_query($page),
            'second' => $version === CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
            'options' => $options,
            'leaves' => $leaves,
        ];
    }

    /**
     * @template T
     *
     * @param non-empty-list<T> $choices
     *
     * @return T
     */
    private function one(array $choices): mixed
    {
        return $choices[$this->random->getInt(0, count($choices) - 1)];
    }
}
