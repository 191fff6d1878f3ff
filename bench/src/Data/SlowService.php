<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Machine\Missing;
use Howdah\Bench\Machine\Process;
use Howdah\Cli\RuntimeFolder;

/** An HTTP service that takes as long as it is told to: `bench/app/slow-http.php`. */
final class SlowService extends Store
{
    private const SOCKET = 'http.sock';

    public function __construct(private readonly string $script)
    {
    }

    public function environment(): array
    {
        return [];
    }

    public function address(): string
    {
        return "{$this->path()}/" . self::SOCKET;
    }

    protected function name(): string
    {
        return 'the slow HTTP service';
    }

    protected function launch(RuntimeFolder $folder): Process
    {
        if (!extension_loaded('curl')) {
            throw new Missing('the extension curl is not installed (packaging/deps bench)');
        }

        return Process::start('slow-http', [PHP_BINARY, $this->script, "$folder->path/" . self::SOCKET], $folder);
    }

    protected function connect(RuntimeFolder $folder): ?string
    {
        $client = @stream_socket_client("unix://$folder->path/" . self::SOCKET, $code, $message, 1.0);
        if ($client === false) {
            return $message;
        }
        fclose($client);

        return null;
    }

    protected function disconnect(): void
    {
    }
}
