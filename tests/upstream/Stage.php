<?php

declare(strict_types=1);

namespace Howdah\Tests\Upstream;

use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use RuntimeException;

/** nginx with a server block for each subject, told apart by name, and asking it. */
final class Stage
{
    /** curl's CURLE_HTTP2_STREAM, which PHP has no name for. */
    private const STREAM_WAS_RESET = 92;
    private const PROJECT = __DIR__ . '/../..';

    /** What the tests of nginx's limits need has to stand outside of server blocks. */
    private const ZONES = <<<'NGINX'
        limit_req_zone $arg_key zone=seldom:1m rate=1r/m;
        limit_req_zone $arg_key zone=often:1m rate=10r/s;
        limit_conn_zone $arg_key zone=single:1m;
        charset_map koi8-x utf-x { 58 59; }
        log_format tests '$host $request_uri $uri $status $request_body';
        NGINX;

    public readonly int $port;
    public readonly int $port2;
    public readonly string $folder;

    /** @var resource */
    private $process;

    /** @param list<class-string<Subject>> $subjects */
    public function __construct(string $mode, array $subjects)
    {
        $this->folder = sys_get_temp_dir() . '/howdah-upstream-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/www", 0755, true);
        file_put_contents("{$this->folder}/www/page.html", 'static');
        $this->port = Server::freePort();
        $this->port2 = Server::freePort();
        file_put_contents("{$this->folder}/nginx.conf", $this->configuration($mode, $subjects));
        $log = ['file', "{$this->folder}/log", 'a'];
        $command = ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', 'nginx.conf'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes, $this->folder);
        if ($process === false) {
            throw new RuntimeException('nginx cannot be started');
        }
        $this->process = $process;
        Clock::await(function () use ($process): bool {
            if (!proc_get_status($process)['running']) {
                throw new RuntimeException('nginx has ended: ' . $this->log());
            }

            return file_exists("{$this->folder}/pid");
        }, 'nginx has started');
    }

    /** Of nginx, "1.22.1". */
    public static function nginxVersion(): string
    {
        $said = (string) shell_exec('nginx -v 2>&1');

        return preg_match('~nginx/([0-9.]+)~', $said, $match) === 1
            ? $match[1] : throw new RuntimeException("nginx does not tell its version: $said");
    }

    /** The error log. */
    public function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }

    /** Waits until the access log has a line that matches: it is written after the answer. */
    public function awaitLogged(string $pattern): void
    {
        $log = fn (): string => (string) @file_get_contents("{$this->folder}/access.log");
        Clock::await(
            static fn (): bool => preg_match($pattern, $log()) === 1,
            static fn (): string => "a line like $pattern, in what was logged: {$log()}",
        );
    }

    public function isRunning(): bool
    {
        return proc_get_status($this->process)['running'];
    }

    public function stop(): void
    {
        proc_terminate($this->process, SIGTERM);
        proc_close($this->process);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function ask(string $host, Exchange $exchange, string $version): Answer
    {
        if ($version === '2') {
            return $this->ask2($host, $exchange);
        }
        $body = (string) $exchange->body;
        $lines = ["$exchange->method $exchange->uri HTTP/$version", "Host: $host", 'Connection: close', ...$exchange->headers];
        if ($exchange->chunked) {
            $lines[] = 'Transfer-Encoding: chunked';
            $parts = $body === '' ? [''] : [...str_split($body, 700), ''];
            $chunk = static fn (string $part): string => sprintf("%x\r\n%s\r\n", strlen($part), $part);
            $body = implode('', array_map($chunk, $parts));
        } elseif ($exchange->body !== null) {
            $lines[] = 'Content-Length: ' . strlen($body);
        }

        return Answer::parse($this->raw(implode("\r\n", $lines) . "\r\n\r\n$body"), $exchange->method === 'HEAD');
    }

    /** All that comes back for bytes as they are, until the server closes the connection. */
    public function raw(string $bytes): string
    {
        $socket = $this->connect();
        fwrite($socket, $bytes);
        $answer = (string) stream_get_contents($socket);
        $late = stream_get_meta_data($socket)['timed_out'];
        fclose($socket);
        if ($late) {
            Clock::late("the connection stays open after: $answer");
        }

        return $answer;
    }

    /** @return resource */
    public function connect()
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, Clock::PATIENCE);
        if ($socket === false) {
            throw new RuntimeException("no connection: $message");
        }
        stream_set_timeout($socket, (int) Clock::PATIENCE);

        return $socket;
    }

    private function ask2(string $host, Exchange $exchange): Answer
    {
        $lines = [];
        $body = $exchange->body;
        $headers = ['Expect:', ...$exchange->headers];
        $curl = curl_init("http://$host:{$this->port2}{$exchange->uri}");
        curl_setopt_array($curl, [
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
            CURLOPT_RESOLVE => ["$host:{$this->port2}:127.0.0.1"],
            CURLOPT_CUSTOMREQUEST => $exchange->method === '' ? null : $exchange->method,
            CURLOPT_NOBODY => $exchange->method === 'HEAD',
            // With less curl 7.88 now and then waits for the end of a stream that it has.
            CURLOPT_BUFFERSIZE => 4 << 20,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_TIMEOUT => (int) Clock::PATIENCE,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$lines): int {
                $lines[] = rtrim($line, "\r\n");

                return strlen($line);
            },
        ]);
        if ($body !== null && $exchange->chunked) {
            curl_setopt_array($curl, [CURLOPT_UPLOAD => true, CURLOPT_READFUNCTION =>
                static function ($curl, $file, int $length) use (&$body): string {
                    $part = substr($body, 0, min(700, $length));
                    $body = substr($body, strlen($part));

                    return $part;
                }]);
        } elseif ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
            $headers[] = 'Content-Type:';
        }
        curl_setopt($curl, CURLOPT_HTTPHEADER, $headers);
        $content = curl_exec($curl);
        $error = curl_errno($curl);
        if ($error === CURLE_OPERATION_TIMEDOUT) {
            Clock::late("$exchange->method $exchange->uri with HTTP/2: " . curl_error($curl));
        }
        if (!in_array($error, [CURLE_OK, CURLE_PARTIAL_FILE, self::STREAM_WAS_RESET], true)) {
            throw new RuntimeException("no answer: error $error: " . curl_error($curl));
        }
        // Interim answers, the final one, and what follows its body.
        $blocks = explode("\n\n", implode("\n", $lines));
        while (count($blocks) > 1 && preg_match('~^HTTP/2 1~', $blocks[0]) === 1) {
            array_shift($blocks);
        }
        $fields = self::fields($blocks[0]);

        return new Answer(
            (int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE),
            $fields,
            is_string($content) ? $content : (string) curl_multi_getcontent($curl),
            $error === CURLE_OK,
            self::fields("\n" . ($blocks[1] ?? '')),
        );
    }

    /** @return array<string, list<string>> */
    private static function fields(string $lines): array
    {
        $fields = [];
        foreach (array_slice(explode("\n", $lines), 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            if ($name !== '') {
                $fields[strtolower($name)][] = trim($value);
            }
        }

        return $fields;
    }

    /** @param list<class-string<Subject>> $subjects */
    private function configuration(string $mode, array $subjects): string
    {
        $site = (string) realpath(__DIR__ . '/site');
        $pass = $mode === 'worker' ? "howdah_pass worker $site/worker.php;" : "howdah_pass classic $site/upstream.php;";
        $module = realpath(self::PROJECT . '/build/ngx_http_howdah_module.so');
        $user = posix_getuid() === 0 ? 'user root;' : '';
        $temporary = '';
        foreach (['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as $name) {
            $temporary .= "{$name}_temp_path {$this->folder}/$name;";
        }
        $servers = '';
        foreach ($subjects as $subject) {
            $locations = strtr($subject::locations(), ['{pass}' => "$pass howdah_param WHERE \$uri;", '{plain}' => $pass,
                '{www}' => "{$this->folder}/www"]);
            $name = self::host($subject);
            $servers .= "server { listen 127.0.0.1:{$this->port}; listen 127.0.0.1:{$this->port2} http2;"
                . " server_name $name; root {$this->folder}/www; access_log {$this->folder}/access.log tests;\n$locations\n}\n";
        }

        return <<<NGINX
            load_module $module;
            load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;
            $user daemon off; pid {$this->folder}/pid; error_log {$this->folder}/log info; worker_processes 1;
            events { worker_connections 512; }
            http {
            types { text/html html; text/plain txt; }
            default_type text/html;
            howdah_ini "output_buffering=0"; howdah_ini "display_errors=0"; howdah_ini "default_charset=";
            howdah_ini "memory_limit=64M";
            howdah_concurrency 32;
            $temporary
            NGINX . self::ZONES . "\n$servers}\n";
    }

    /** @param class-string<Subject> $subject */
    public static function host(string $subject): string
    {
        return strtolower(substr($subject, (int) strrpos($subject, '\\') + 1)) . '.test';
    }
}
