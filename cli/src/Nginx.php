<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** The nginx of this machine: where it is, what it is, whether it takes our module. */
final readonly class Nginx
{
    private const OLDEST = '1.22.0';

    /** The series that our tests run with. */
    public const TESTED = ['1.22', '1.26'];

    private function __construct(
        public string $path,
        public string $version,
        private string $arguments,
    ) {
    }

    /** By its absolute path: nginx repeats it when it replaces itself (USR2). */
    public static function find(): self
    {
        $path = Program::find('nginx');
        if ($path === null) {
            throw new Failure('nginx is not installed (it is neither in PATH nor in /usr/sbin): `apt-get install nginx`');
        }
        $asked = Program::run([$path, '-V']);
        $text = $asked->errors . $asked->output;
        if (preg_match('~nginx/(?<version>\d+\.\d+\.\d+)~', $text, $match) !== 1) {
            throw new Failure("$path does not tell its version (`$path -V` ended with exit status {$asked->status}):"
                . ' reinstall nginx');
        }
        if (version_compare($match['version'], self::OLDEST, '<')) {
            throw new Failure("$path is nginx {$match['version']}, which is too old: Howdah needs " . self::OLDEST
                . ' or later, as Debian 12 has it');
        }

        return new self($path, $match['version'], $text);
    }

    /** "1.22" */
    public function series(): string
    {
        return implode('.', array_slice(explode('.', $this->version), 0, 2));
    }

    /** Whether it was built with a module, as "http_realip_module". */
    public function has(string $module): bool
    {
        return preg_match('/--with-' . preg_quote($module, '/') . '(?![=\w])/', $this->arguments) === 1;
    }

    /** The list of media types that comes with nginx, or null. */
    public function mimeTypes(): ?string
    {
        $folder = preg_match('/--conf-path=(?<path>\S+)/', $this->arguments, $match) === 1
            ? dirname($match['path'])
            : '/etc/nginx';

        return is_readable("$folder/mime.types") ? "$folder/mime.types" : null;
    }

    /** nginx loads a module only if both were built from the same version with the same options. */
    public function assertLoads(string $module, string $remedy): void
    {
        $folder = new RuntimeFolder();
        try {
            $folder->write('nginx.conf', 'load_module ' . NginxString::literal($module) . ";\npid nginx.pid;\nevents {}\n");
            $test = Program::run([$this->path, '-t', '-q', ...$this->start($folder)], $folder->path);
        } finally {
            $folder->remove();
        }
        if ($test->status !== 0) {
            throw new Failure("nginx {$this->version} ({$this->path}) does not load $module: "
                . $this->messages($test->errors) . "; $remedy");
        }
    }

    /**
     * Arguments with which nginx keeps to the folder.
     *
     * @return list<string>
     */
    public function start(RuntimeFolder $folder): array
    {
        return ['-p', $folder->path, '-e', 'stderr', '-c', 'nginx.conf'];
    }

    /** What nginx complained of, without its prefixes. */
    private function messages(string $errors): string
    {
        preg_match_all('/\[(?:emerg|alert|crit|error)\] (?:\d+#\d+: )?(?<message>.*)/', $errors, $matches);
        $message = implode('; ', $matches['message']) ?: trim($errors);

        return (string) preg_replace('/ in \S+nginx\.conf:\d+/', '', $message);
    }
}
