<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

/** The sources, and a location of its own for each script with PHP settings or an environment. */
final class Site implements Served
{
    /** @var list<array{string, array<string, string>, array<string, string>}> path, settings, environment */
    private array $special = [];

    /**
     * @param list<Test> $tests
     * @param string     $settingsIn the variable that has a script's settings
     */
    public function __construct(
        private readonly string $root,
        array $tests,
        private readonly string $settingsIn = 'PHP_VALUE',
    ) {
        foreach ($tests as $test) {
            [$settings, $environment] = [$test->settings(), $test->environment()];
            if ($settings !== [] || $environment !== []) {
                $this->special[] = ["/$test->path.php", $settings, $environment];
            }
            foreach ($environment === [] ? [] : ['.skip.php', '.clean.php'] as $suffix) {
                $this->special[] = ["/$test->path$suffix", [], $environment];
            }
        }
    }

    public function root(): string
    {
        return $this->root;
    }

    public function configuration(int $port, callable $pass, string $param): string
    {
        $text = "  geo \$dollar { default \"\$\"; }\n  server {\n    listen 127.0.0.1:$port;\n    root $this->root;\n";
        $text .= '    location / { ' . $pass(false) . " }\n";
        foreach ($this->special as [$path, $settings, $environment]) {
            $variables = $environment;
            if ($settings !== []) {
                $lines = array_map(Settings::line(...), array_keys($settings), $settings);
                $variables[$this->settingsIn] = implode("\n", $lines);
            }
            $text .= '    location = ' . self::quote($path) . ' { ' . $pass($settings !== []);
            foreach ($variables as $name => $value) {
                $text .= " $param " . self::quote((string) $name) . ' ' . self::quote($value) . ';';
            }
            $text .= " }\n";
        }

        return "$text  }\n";
    }

    /** Needs the `geo` block of configuration(). */
    public static function quote(string $text): string
    {
        $escaped = str_replace(['\\', '"', "\n", "\r", "\t"], ['\\\\', '\\"', '\\n', '\\r', '\\t'], $text);

        return '"' . str_replace('$', '${dollar}', $escaped) . '"';
    }
}
