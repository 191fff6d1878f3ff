<?php

declare(strict_types=1);

namespace Howdah\Bench\Server;

use Howdah\Bench\Machine\Process;
use Howdah\Cli\NginxString;
use Howdah\Cli\RuntimeFolder;

/** PHP in nginx's worker: Howdah. */
final readonly class Realms implements Content
{
    /** Realms of a worker, where nothing else is said. */
    public const USUAL = 16;

    private function __construct(
        private string $module,
        private string $pass,
        private Application $application,
        private int $concurrency,
        private int $warm,
        private bool $adaptive = false,
        private bool $rewinds = false,
    ) {
    }

    public static function classic(
        string $module,
        Application $application,
        int $concurrency = self::USUAL,
        int $warm = 0,
    ): self {
        $pass = 'classic ' . NginxString::literal($application->front);

        return new self($module, $pass, $application, $concurrency, $warm);
    }

    /** @param bool $adaptive how many of the realms serve at once is found out */
    public static function worker(
        string $module,
        Application $application,
        int $concurrency = self::USUAL,
        int $warm = 1,
        bool $adaptive = false,
    ): self {
        $pass = 'worker ' . NginxString::literal($application->worker);

        return new self($module, $pass, $application, $concurrency, $warm, $adaptive);
    }

    /** Worker mode, where each request finds the application as it had booted. */
    public static function rewound(
        string $module,
        Application $application,
        int $concurrency = self::USUAL,
        int $warm = 1,
    ): self {
        $pass = 'worker ' . NginxString::literal($application->worker);

        return new self($module, $pass, $application, $concurrency, $warm, rewinds: true);
    }

    public function main(): array
    {
        return ['load_module ' . NginxString::literal($this->module) . ';'];
    }

    public function location(): array
    {
        return [
            'root ' . NginxString::literal($this->application->root) . ';',
            "howdah_pass $this->pass;",
            "howdah_concurrency $this->concurrency" . ($this->adaptive ? ' adaptive;' : ';'),
            "howdah_warm $this->warm;",
            ...($this->rewinds ? ['howdah_rewind on;'] : []),
        ];
    }

    public function start(RuntimeFolder $folder): ?Process
    {
        return null;
    }
}
