<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use Howdah\Cli\Jit;

/** nginx with Howdah in it, in classic mode: one worker process. */
final class HowdahStack extends Stack
{
    /**
     * @param list<Application> $applications
     * @param int               $chaos        a seed: realms also switch where they need not; 0: they do not
     */
    public function __construct(array $applications, private readonly int $chaos = 0)
    {
        parent::__construct($applications);
    }

    protected function startPhp(): void
    {
    }

    protected function modules(): string
    {
        return 'load_module ' . dirname(__DIR__, 2) . "/build/ngx_http_howdah_module.so;\n";
    }

    protected function http(): string
    {
        $text = "  howdah_concurrency 16;\n" . ($this->chaos === 0 ? '' : "  howdah_chaos $this->chaos;\n");
        foreach ($this->settings() as $name => $value) {
            $text .= "  howdah_ini \"$name=$value\";\n";
        }
        // HOWDAH_JIT=tracing runs the whole suite with opcache's JIT.
        foreach (Jit::settings(getenv('HOWDAH_JIT') ?: null) as $setting) {
            $text .= "  howdah_ini \"$setting\";\n";
        }

        return $text;
    }

    protected function handler(): string
    {
        return "      howdah_pass classic \$document_root\$fastcgi_script_name;\n";
    }

    protected function param(): string
    {
        return 'howdah_param';
    }
}
