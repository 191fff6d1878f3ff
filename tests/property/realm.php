<?php

/**
 * A request of the property test: /?id=r7&seed=1&steps=100&kind=form[&only=ini,gc]
 */

declare(strict_types=1);

use Howdah\Tests\Property\Walk;

require_once __DIR__ . '/Walk.php';

(static function (): void {
    $text = static fn (string $key): string => is_string($_GET[$key] ?? null) ? $_GET[$key] : '';
    $only = $text('only') === '' ? [] : explode(',', $text('only'));
    $answer = (new Walk($text('id'), (int) $text('seed'), $only))->run((int) $text('steps'));
    echo json_encode($answer, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
})();
