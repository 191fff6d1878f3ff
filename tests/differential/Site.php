<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use Howdah\Tests\Phpt\Served;
use Howdah\Tests\Phpt\Site as Scripts;
use Howdah\WaitingTests\Certificate;

/**
 * A document root with a folder for each case. Of one port, five addresses: plain, encrypted, and one where a single script
 * answers everything, which is what worker mode does; and the first and the last again, where nginx waits only a second for
 * the rest of a request.
 */
final readonly class Site implements Served
{
    /**
     * Seconds that nginx waits for a client, before and within a request. The tests' own may be late, and nothing else is a
     * difference then.
     */
    private const PATIENCE = 'keepalive_timeout 60s; client_header_timeout 60s; client_body_timeout 60s;';
    private const HASTE = 'client_header_timeout 1s; client_body_timeout 1s;';

    /** @param array<string, Question> $questions */
    public function __construct(private string $folder, private array $questions)
    {
        mkdir($this->root());
        copy(__DIR__ . '/site/front.php', $this->root() . '/index.php');
        copy(__DIR__ . '/site/tell.php', "$folder/tell.php");
        foreach ($questions as $name => $question) {
            foreach ($question->files as $path => $content) {
                $file = $this->root() . "/$name/$path";
                @mkdir(dirname($file), 0777, true);
                file_put_contents($file, $this->code($content));
            }
        }
        Certificate::write($folder);
    }

    /** Where a question is asked. */
    public static function address(Question $question, string $mode): string
    {
        return match (true) {
            $question->isHalf => $mode === 'worker' ? 'tcp://127.0.0.5' : 'tcp://127.0.0.4',
            $mode === 'worker' => 'tcp://127.0.0.3',
            default => $question->isEncrypted ? 'tls://127.0.0.2' : 'tcp://127.0.0.1',
        };
    }

    public function root(): string
    {
        return "$this->folder/root";
    }

    public function configuration(int $port, callable $pass, string $param): string
    {
        $isFpm = $param === 'fastcgi_param';
        $script = fn (bool $own): string => 'fastcgi_split_path_info ^(.+?\.php)(/.*)?$; ' . $pass($own)
            . ($isFpm ? ' fastcgi_param PATH_INFO $fastcgi_path_info if_not_empty;' : '');
        $front = $isFpm ? 'rewrite ^ /index.php break; ' . $pass(false) : 'howdah_pass worker ' . $this->root() . '/index.php;';
        $special = '';
        foreach ($this->questions as $name => $question) {
            if ($question->ini !== [] || $question->nginx !== '') {
                $settings = $question->ini === []
                    ? ''
                    : " $param PHP_VALUE " . Scripts::quote(implode("\n", $question->ini)) . ';';
                $own = str_replace('{prefix}', $isFpm ? 'fastcgi' : 'howdah', $question->nginx);
                $all = $script($question->ini !== []) . "$settings $own";
                $special .= "    location ~ ^/$name/.*[^/]\\.php(/|\$) { $all }\n";
            }
        }

        $server = fn (string $listen, string $locations): string => <<<NGINX
              server {
                $listen
                server_name shop.example;
                root {$this->root()}; index index.php index.html;
                location ~ ^/[^/]+/inside/ { internal; }
            $locations
              }

            NGINX;
        $paths = <<<NGINX
                location / { try_files \$uri \$uri/ =404; }
                location ~ /\.(?!well-known) { deny all; }
            $special
                location ~ [^/]\.php(/|$) { {$script(false)} }
            NGINX;
        $all = "    location / { $front }";

        return <<<NGINX
              geo \$dollar { default "$"; }
              ssl_certificate $this->folder/server.crt; ssl_certificate_key $this->folder/server.key;

            NGINX
            . $server("listen 127.0.0.1:$port; listen 127.0.0.2:$port ssl; " . self::PATIENCE, $paths)
            . $server("listen 127.0.0.3:$port; " . self::PATIENCE, $all)
            . $server("listen 127.0.0.4:$port; " . self::HASTE, $paths)
            . $server("listen 127.0.0.5:$port; " . self::HASTE, $all);
    }

    /** Scripts that use tell() load it. */
    private function code(string $content): string
    {
        return str_contains($content, 'tell(')
            ? (string) preg_replace('/<\?php\b/', "<?php require_once '$this->folder/tell.php';", $content, 1)
            : $content;
    }
}
