<?php

// FrankenPHP's functions that code calls where they are there.

declare(strict_types=1);

$answer = static function (): void {
    header('X-Answer: yes');
    json_decode('{');
    frankenphp_log('plain');
    frankenphp_log('looked closely', FRANKENPHP_LOG_LEVEL_DEBUG);
    frankenphp_log('said', FRANKENPHP_LOG_LEVEL_INFO, ['user' => ['name' => 'Zoë', 'id' => 7], 'path' => '/a']);
    frankenphp_log('warned', FRANKENPHP_LOG_LEVEL_WARN, ["bad \xff" => NAN, 'ratio' => 1.0]);
    frankenphp_log('between', FRANKENPHP_LOG_LEVEL_WARN + 1);
    frankenphp_log("failed\non two lines", FRANKENPHP_LOG_LEVEL_ERROR, ['list' => ['a', 'b']]);
    try {
        frankenphp_log('lost', context: ['thrower' => new class implements JsonSerializable {
            public function jsonSerialize(): never
            {
                throw new DomainException('not this one');
            }
        }]);
    } catch (Exception $thrown) {
        $caught = get_class($thrown->getPrevious() ?? $thrown);
    }
    print(json_encode([
        'request' => frankenphp_request_headers() === getallheaders() ? getallheaders()['X-Test'] ?? null : 'other',
        'response' => frankenphp_response_headers()['X-Answer'] ?? null,
        'json' => json_last_error() === JSON_ERROR_SYNTAX,
        'caught' => $caught ?? null,
        'mercure' => function_exists('mercure_publish'),
    ]));
};

if (Howdah\status()['mode'] === 'worker') {
    while (frankenphp_handle_request($answer)) {
    }
} else {
    $answer();
}
