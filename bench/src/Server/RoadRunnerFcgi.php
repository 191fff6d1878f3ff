<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\RuntimeFolder;

/** RoadRunner behind nginx, which asks it by FastCGI (servers/fcgi/fcgi.go of its plugin http, 07e6c50: Go's own net/http/fcgi). */
final readonly class RoadRunnerFcgi implements Content
{
    private int $port;

    public function __construct(private RoadRunner $roadRunner)
    {
        $this->port = Port::free();
    }

    public function main(): array
    {
        return [];
    }

    public function location(): array
    {
        return [...Fpm::parameters(), "fastcgi_pass 127.0.0.1:$this->port;"];
    }

    public function start(RuntimeFolder $folder): Process
    {
        return $this->roadRunner->serve($folder, ['fcgi' => ['address' => "tcp://127.0.0.1:$this->port"]]);
    }
}
