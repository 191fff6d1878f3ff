<?php

/**
 * Error handlers and what the last error was, in the engine and in the libraries that remember one.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Probe
 */
final class ErrorChecks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        $checks = [
            'error handler' => $this->errorHandler(),
            'exception handler' => $this->exceptionHandler(),
            'error_reporting' => $this->errorReporting(),
            'last error' => $this->lastError(),
            'library errors' => $this->libraryErrors(),
        ];
        if (extension_loaded('simplexml')) {
            $checks['libxml errors'] = $this->libxmlErrors();
        }

        return $checks;
    }

    /** @return Check */
    private function errorHandler(): Generator
    {
        $seen = [];
        $handler = static function (int $level, string $message) use (&$seen): bool {
            // What is silenced with @ is expected.
            if ((error_reporting() & $level) !== 0) {
                $seen[] = $message;
            }

            return true;
        };
        set_error_handler($handler);
        yield function () use ($handler, &$seen): array {
            trigger_error($this->probe->mark('error'), E_USER_NOTICE);
            $expected = array_fill(0, max(1, count($seen)), $this->probe->mark('error'));
            $current = set_error_handler($handler);
            restore_error_handler();

            return ['handler' => [$handler, $current], 'errors' => [$expected, $seen]];
        };
        restore_error_handler();
    }

    /** @return Check */
    private function exceptionHandler(): Generator
    {
        $handler = static function (): void {
        };
        set_exception_handler($handler);
        yield static function () use ($handler): array {
            $current = set_exception_handler($handler);
            restore_exception_handler();

            return ['handler' => [$handler, $current]];
        };
        restore_exception_handler();
    }

    /** @return Check */
    private function errorReporting(): Generator
    {
        // Only levels that the other checks do not raise differ between requests.
        $levels = E_ALL & ~($this->probe->number('level', 8) << 12);
        $before = error_reporting($levels);
        yield static fn (): array => [
            'function' => [$levels, error_reporting()],
            'ini' => [(string) $levels, ini_get('error_reporting')],
        ];
        error_reporting($before);
    }

    /** @return Check */
    private function lastError(): Generator
    {
        // PHP remembers an error only when no handler of the user takes it.
        set_error_handler(null);
        @trigger_error($this->probe->mark('last'), E_USER_NOTICE);
        restore_error_handler();
        yield fn (): array => ['error_get_last' => [$this->probe->mark('last'), error_get_last()['message'] ?? null]];
        error_clear_last();
    }

    /** @return Check */
    private function libraryErrors(): Generator
    {
        [$json, $jsonError] = $this->probe->choose('json', [['[]', JSON_ERROR_NONE], ['{', JSON_ERROR_SYNTAX]]);
        [$text, $pregError] = $this->probe->choose('preg', [['a', PREG_NO_ERROR], ["\xff", PREG_BAD_UTF8_ERROR]]);
        $call = $this->probe->choose('posix', [
            [static fn () => posix_access('/no/such/file'), 2],
            [static fn () => posix_getpgid(0x7fffffff), 3],
        ]);
        json_decode($json);
        preg_match('/./u', $text);
        $call[0]();
        // Compared at once, without a look: the looks of other checks use both libraries.
        $this->probe->pause();
        $errors = [json_last_error(), preg_last_error(), posix_get_last_error()];
        yield static fn (): array => [
            'json' => [$jsonError, $errors[0]],
            'preg' => [$pregError, $errors[1]],
            'posix' => [$call[1], $errors[2]],
        ];
        json_decode('[]');
        preg_match('/./', 'a');
    }

    /** @return Check */
    private function libxmlErrors(): Generator
    {
        $before = libxml_use_internal_errors(true);
        libxml_clear_errors();
        $tag = $this->probe->mark('tag');
        simplexml_load_string("<{$tag}>");
        $error = libxml_get_last_error();
        $message = $error === false ? '' : $error->message;
        yield static fn (): array => [
            'raised' => [true, str_contains($message, $tag)],
            'kept' => [[$message], array_column(libxml_get_errors(), 'message')],
            'internal' => [true, libxml_use_internal_errors()],
        ];
        libxml_clear_errors();
        libxml_use_internal_errors($before);
    }
}
