<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use Howdah\Cli\BodyLimits;
use Howdah\Cli\Nginx;
use Howdah\Cli\NginxConfig;
use Howdah\Cli\PhpSettings;
use Howdah\Cli\ProjectFinder;
use Howdah\Cli\RuntimeFolder;
use Howdah\Cli\ServeOptions;
use Howdah\Tests\Clock;
use RuntimeException;

/** A real nginx with our module and our configuration. */
final class RoutingNginx
{
    private const MODULE = __DIR__ . '/../../build/ngx_http_howdah_module.so';

    private readonly RuntimeFolder $folder;

    /** @var resource */
    private $process;

    /** @param non-empty-string $socket */
    public function __construct(ServeOptions $options, private readonly string $socket)
    {
        $nginx = Nginx::find();
        $project = (new ProjectFinder())->find($options);
        $bodies = BodyLimits::of(0, new PhpSettings([]));
        $module = (string) realpath(self::MODULE);
        $text = (new NginxConfig($project, $options, $module, $nginx, $bodies))->render();
        $this->folder = new RuntimeFolder();
        $this->folder->write('nginx.conf', $text);
        $command = [$nginx->path, ...$nginx->start($this->folder)];
        $log = ['file', $this->folder->path . '/error.log', 'w'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $log, $log], $pipes, $this->folder->path);
        if ($process === false) {
            throw new RuntimeException('nginx cannot be started');
        }
        $this->process = $process;
        Clock::await(function () use ($process, $text): bool {
            if (!proc_get_status($process)['running']) {
                throw new RuntimeException('nginx refuses: ' . file_get_contents($this->folder->path . '/error.log') . $text);
            }

            return $this->folder->has(NginxConfig::PID_FILE);
        }, 'nginx has started');
    }

    /**
     * @param  non-empty-string $method
     * @param  list<string>     $headers
     * @return array{int, string} status and body, or where a redirection leads to
     */
    public function get(string $uri, string $method = 'GET', array $headers = []): array
    {
        $location = null;
        $curl = curl_init();
        curl_setopt_array($curl, [
            CURLOPT_URL => "http://test$uri",
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_NOBODY => $method === 'HEAD',
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$location): int {
                $location = stripos($line, 'Location: ') === 0 ? trim(substr($line, 10)) : $location;

                return strlen($line);
            },
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_UNIX_SOCKET_PATH => $this->socket,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => (int) Clock::PATIENCE,
        ]);
        $body = curl_exec($curl);
        if (curl_errno($curl) === CURLE_OPERATION_TIMEDOUT) {
            Clock::late("$uri: " . curl_error($curl));
        }

        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $location ?? (is_string($body) ? $body : curl_error($curl))];
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
        $this->folder->remove();
    }
}
