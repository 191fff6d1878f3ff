<?php

/**
 * The request and its answer: superglobals, body, upload, headers, status, cookies, output buffers, the shutdown function.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;

/**
 * @phpstan-import-type Check from Checks
 */
final class RequestChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        return [
            'query' => $this->query(),
            'server' => $this->server(),
            'body' => $this->body(),
            'answer' => $this->answer(),
            'shutdown' => $this->shutdown(),
            'output' => $this->output(),
        ];
    }

    /** @return Check */
    private function query(): Generator
    {
        $_GET['set'] = $_REQUEST['set'] = $this->probe->mark('set');
        yield fn (): array => [
            '$_GET' => [$this->probe->id, $_GET['id'] ?? null],
            '$_GET set' => [$this->probe->mark('set'), $_GET['set'] ?? null],
            '$_REQUEST' => [$this->probe->id, $_REQUEST['id'] ?? null],
            '$_REQUEST set' => [$this->probe->mark('set'), $_REQUEST['set'] ?? null],
            '$_COOKIE' => [$this->probe->mark('cookie'), $_COOKIE['probe_in'] ?? null],
            'filter_input(INPUT_GET)' => [$this->probe->id, filter_input(INPUT_GET, 'id')],
            'filter_input(INPUT_COOKIE)' => [$this->probe->mark('cookie'), filter_input(INPUT_COOKIE, 'probe_in')],
        ];
        unset($_GET['set'], $_REQUEST['set']);
    }

    /** @return Check */
    private function server(): Generator
    {
        $_SERVER['PROBE_SET'] = $this->probe->mark('set');
        yield function (): array {
            parse_str(self::text('QUERY_STRING'), $query);

            return [
                'header' => [$this->probe->mark('header'), $_SERVER['HTTP_X_PROBE'] ?? null],
                'getallheaders' => [$this->probe->mark('header'), $this->header('X-Probe')],
                'query string' => [$this->probe->id, $query['id'] ?? null],
                'uri' => [true, str_contains(self::text('REQUEST_URI'), "id={$this->probe->id}")],
                'method' => [($_GET['kind'] ?? '') === 'get' ? 'GET' : 'POST', $_SERVER['REQUEST_METHOD'] ?? null],
                'set' => [$this->probe->mark('set'), $_SERVER['PROBE_SET'] ?? null],
            ];
        };
        unset($_SERVER['PROBE_SET']);
    }

    private static function text(string $name): string
    {
        return is_string($_SERVER[$name] ?? null) ? $_SERVER[$name] : '';
    }

    private function header(string $name): mixed
    {
        if (!function_exists('getallheaders')) {
            return null;
        }

        return array_change_key_case(getallheaders())[strtolower($name)] ?? null;
    }

    /** @return Check */
    private function body(): Generator
    {
        $field = ['field' => $this->probe->mark('field')];
        $content = str_repeat($this->probe->mark('content'), 100);
        yield fn (): array => match ($_GET['kind'] ?? '') {
            'form' => [
                '$_POST' => [$field, $_POST],
                '$_REQUEST' => [$field['field'], $_REQUEST['field'] ?? null],
                'filter_input(INPUT_POST)' => [$field['field'], filter_input(INPUT_POST, 'field')],
                'php://input' => [http_build_query($field, '', '&'), file_get_contents('php://input')],
            ],
            'raw' => ['$_POST' => [[], $_POST], 'php://input' => [$content, file_get_contents('php://input')]],
            'upload' => [
                '$_POST' => [$field, $_POST],
                '$_FILES name' => [$this->probe->mark('name'), $this->uploaded('name')],
                '$_FILES size' => [strlen($content), $this->uploaded('size')],
                'is_uploaded_file' => [true, is_uploaded_file($this->path())],
                'content' => [$content, file_get_contents($this->path())],
            ],
            default => ['$_POST' => [[], $_POST], '$_FILES' => [[], $_FILES]],
        };
    }

    private function uploaded(string $what): mixed
    {
        $file = $_FILES['file'] ?? null;

        return is_array($file) ? $file[$what] ?? null : null;
    }

    private function path(): string
    {
        $path = $this->uploaded('tmp_name');

        return is_string($path) && $path !== '' ? $path : '/dev/null';
    }

    /** @return Check */
    private function answer(): Generator
    {
        $status = Probe::statusOf($this->probe->id);
        http_response_code($status);
        header("X-Probe-Native: {$this->probe->mark('native')}");
        setcookie('probe', $this->probe->mark('probe'));
        header_register_callback(fn () => header("X-Probe-Callback: {$this->probe->mark('callback')}"));
        $expected = [
            "Set-Cookie: probe={$this->probe->mark('probe')}",
            "X-Probe-Native: {$this->probe->mark('native')}",
        ];
        yield static function () use ($status, $expected): array {
            $own = array_values(preg_grep('/probe/i', headers_list()) ?: []);
            sort($own);

            return ['status' => [$status, http_response_code()], 'headers' => [$expected, $own]];
        };
    }

    /**
     * The answer is on its way by then: what is wrong goes to the log, where the test run looks for it.
     *
     * @return Check
     */
    private function shutdown(): Generator
    {
        register_shutdown_function(function (): void {
            $this->probe->pause();
            if (($_GET['id'] ?? null) !== $this->probe->id) {
                error_log("probe: the shutdown function of {$this->probe->id} saw " . json_encode($_GET));
            }
            if (isset($_GET['trailer'])) {
                echo "\n", $this->probe->mark('shutdown');
            }
        });
        yield static fn (): array => [];
    }

    /** @return Check */
    private function output(): Generator
    {
        ob_start();
        $level = ob_get_level();
        ob_start(function (string $buffer): string {
            return "<{$this->probe->id}>{$buffer}</>";
        });
        $expected = '';
        yield function () use ($level, &$expected): array {
            echo $this->probe->mark('echo');
            $expected .= $this->probe->mark('echo');

            return ['level' => [$level + 1, ob_get_level()], 'buffered' => [$expected, ob_get_contents()]];
        };
        if (ob_get_level() > $level) {
            ob_end_flush();
        }
        $flushed = ob_get_level() === $level ? ob_get_clean() : null;
        yield fn (): array => ['through the callback' => ["<{$this->probe->id}>{$expected}</>", $flushed]];
    }
}
