<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** Where the pieces of this Howdah lie: in a checkout or below an installation's prefix. */
final readonly class Installation
{
    public const VERSION = '0.1.0';

    /**
     * @param string $programs folder of the nginx module and of howdah-run
     * @param string $cli      folder of this package
     * @param string $remedy   what to do when a piece is missing, to end a sentence with
     */
    public function __construct(
        private string $programs,
        private string $cli,
        private string $remedy,
    ) {
    }

    public function module(): string
    {
        return $this->piece('ngx_http_howdah_module.so', "Howdah's nginx module");
    }

    public function runner(): string
    {
        return $this->piece('howdah-run', "Howdah's script runner");
    }

    /** A script for howdah-run to run, by its name. */
    public function resource(string $name): string
    {
        return $this->cli . '/resources/' . $name;
    }

    public function remedy(): string
    {
        return $this->remedy;
    }

    private function piece(string $name, string $what): string
    {
        $path = $this->programs . '/' . $name;
        if (!is_file($path)) {
            throw new Failure("$what is missing ($path): {$this->remedy}");
        }

        return $path;
    }
}
