<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App;

/** Rows on ext/curl. */
final class Curl
{
    /**
     * @param  array<int, mixed>    $options of curl_setopt()
     * @return array<string, mixed> the body and status, or the error with its milliseconds left out
     */
    public static function ask(string $url, array $options = []): array
    {
        $curl = curl_init();
        // In this order: CURLOPT_WRITEFUNCTION counts only after CURLOPT_RETURNTRANSFER.
        curl_setopt_array($curl, [CURLOPT_URL => $url, CURLOPT_RETURNTRANSFER => true] + $options);
        $body = curl_exec($curl);

        return [
            'body' => $body,
            'status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE),
            'version' => curl_getinfo($curl, CURLINFO_HTTP_VERSION),
            'code' => curl_errno($curl),
            'message' => preg_replace('/\d+ (millisecond|ms)/', 'N \1', curl_error($curl)),
        ];
    }
}
