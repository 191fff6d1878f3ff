<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use Howdah\WaitingTests\Daemon;
use RuntimeException;

/** nginx and php-fpm, as Debian's snippets connect them. */
final class FpmStack extends Stack
{
    private const CHILDREN = 4;

    private ?Daemon $fpm = null;

    protected function startPhp(): void
    {
        $fpm = $this->fpm = new Daemon('applications-fpm');
        $socket = "$this->folder/fpm.sock";
        $user = self::user() === null ? '' : sprintf("user = %1\$s\ngroup = %1\$s\nlisten.owner = %1\$s\n", self::user());
        $pool = "[www]\n{$user}listen = $socket\npm = static\npm.max_children = " . self::CHILDREN . "\n";
        foreach ($this->settings() as $name => $value) {
            $pool .= "php_admin_value[$name] = \"$value\"\n";
        }
        file_put_contents("$fpm->folder/fpm.conf", "[global]\ndaemonize = no\nerror_log = /dev/stderr\n$pool");
        // The socket's file is there before somebody listens.
        $ready = static fn (): bool => str_contains($fpm->log(), 'ready to handle connections');
        $fpm->start([self::program(), '-F', '-y', "$fpm->folder/fpm.conf"], $ready);
    }

    public function stop(): void
    {
        parent::stop();
        $this->fpm?->remove();
    }

    protected function modules(): string
    {
        return '';
    }

    protected function http(): string
    {
        return "  fastcgi_buffers 64 16k;\n  fastcgi_buffer_size 32k;\n  fastcgi_read_timeout 300s;\n";
    }

    protected function handler(): string
    {
        return "      set \$path_info \$fastcgi_path_info;\n      fastcgi_param PATH_INFO \$path_info;\n"
            . "      include /etc/nginx/fastcgi.conf;\n      fastcgi_pass unix:$this->folder/fpm.sock;\n";
    }

    protected function param(): string
    {
        return 'fastcgi_param';
    }

    private static function program(): string
    {
        $name = 'php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        foreach (["/usr/sbin/$name", '/usr/sbin/php-fpm', '/usr/local/sbin/php-fpm'] as $file) {
            if (is_executable($file)) {
                return $file;
            }
        }
        throw new RuntimeException("this machine has no $name: run `make deps`");
    }
}
