<?php

/**
 * Error handlers and what the last error was, in the engine and in the libraries that remember one.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class ErrorChecks implements Checks
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
            'posix errors' => $this->posixErrors(),
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
        $before = error_reporting();
        // Where it has these levels already PHP does nothing: the setting has no text then, where php.ini names none.
        error_reporting(~$levels & E_ALL);
        error_reporting($levels);
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
        json_decode($json);
        preg_match('/./u', $text);
        // Compared at once, without a look: the looks of other checks use both libraries.
        $this->probe->pause();
        $errors = [json_last_error(), preg_last_error()];
        yield static fn (): array => [
            'json' => [$jsonError, $errors[0]],
            'preg' => [$pregError, $errors[1]],
        ];
        json_decode('[]');
        preg_match('/./', 'a');
    }

    /** @return Check */
    private function posixErrors(): Generator
    {
        [$fail, $error] = $this->probe->choose('posix', [
            [static fn (): bool => posix_access('/no/such/file'), 2],
            [static fn (): int|false => posix_getpgid(0x7fffffff), 3],
        ]);
        $fail();
        yield static fn (): array => ['last' => [$error, posix_get_last_error()]];
    }

    /** @return Check */
    private function libxmlErrors(): Generator
    {
        // Kept by libxml, or told as PHP's own errors.
        $kept = $this->probe->number('kept', 2) === 1;
        $before = libxml_use_internal_errors($kept);
        libxml_clear_errors();
        $tag = $this->probe->mark('tag');
        $told = [];
        $raise = function () use ($tag, &$told): int {
            set_error_handler(static function (int $level, string $message) use (&$told): bool {
                $told[] = $message;

                return true;
            });
            $this->probe->pause();
            simplexml_load_string("<{$tag}>");
            restore_error_handler();

            return count(array_filter($told, static fn (string $message): bool => str_contains($message, " {$tag} ")));
        };
        $raise();
        $error = libxml_get_last_error();
        $message = $error === false ? '' : $error->message;
        $raised = 1;
        yield static function () use ($kept, $tag, $message, $raise, &$raised): array {
            $last = libxml_get_last_error();
            $pairs = [
                'raised' => [true, str_contains($message, $tag)],
                'last' => [$message, $last === false ? null : $last->message],
                'kept' => [
                    $kept ? array_fill(0, $raised, $message) : [],
                    array_column(libxml_get_errors(), 'message'),
                ],
                'internal' => [$kept, libxml_use_internal_errors()],
            ];
            ++$raised;

            return $pairs + ['told' => [$kept ? 0 : $raised, $raise()]];
        };
        libxml_clear_errors();
        libxml_use_internal_errors($before);
    }
}
