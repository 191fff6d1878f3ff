<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Tls\TlsFiles;

/** The configuration for an nginx that somebody else starts: printed, or written into a project. */
final readonly class PrintedConfig
{
    private function __construct(public string $text, public ?TlsFiles $tls)
    {
    }

    public static function of(Installation $installation, Project $project, ServeOptions $options): self
    {
        $module = $installation->module();
        $php = PhpRuntime::probe($installation, $options->engineArguments());
        $bodies = BodyLimits::of($options->maxBody, $php->settings);
        $nginx = Nginx::find();
        $tls = $options->tls->files($options->listen, $nginx);
        $page = $options->livePage->isAskedFor ? $installation->resource(LivePage::FILE) : null;
        $config = new NginxConfig($project, $options, $module, $nginx, $bodies, tls: $tls, livePage: $page);

        return new self($config->render(), $tls);
    }
}
