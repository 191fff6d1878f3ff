<?php

/**
 * A request of the property test: /?id=r7&seed=1&steps=100&kind=form[&only=ini,gc][&stop=1][&jit=1]. With stop=1 the whole
 * process ends with the first walk that finds something: that is enough for those who want to know whether one does. With
 * jit=1 the answer tells how many bytes the JIT has compiled so far.
 */

declare(strict_types=1);

use Howdah\Tests\Property\Walk;

require_once __DIR__ . '/Walk.php';

(static function (): void {
    $text = static fn (string $key): string => is_string($_GET[$key] ?? null) ? $_GET[$key] : '';
    $only = $text('only') === '' ? [] : explode(',', $text('only'));
    $answer = (new Walk($text('id'), (int) $text('seed'), $only))->run((int) $text('steps'));
    if ($text('stop') !== '' && !$answer['ok']) {
        posix_kill((int) getmypid(), 9);
    }
    if ($text('jit') !== '') {
        /** @var array{jit: array{buffer_size: int, buffer_free: int}} $status */
        $status = opcache_get_status(false);
        $answer['compiled'] = $status['jit']['buffer_size'] - $status['jit']['buffer_free'];
    }
    echo json_encode($answer, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
})();
