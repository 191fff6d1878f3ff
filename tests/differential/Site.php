<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use Howdah\Tests\Phpt\Served;
use Howdah\Tests\Phpt\Site as Scripts;
use Howdah\WaitingTests\Certificate;

/**
 * A document root with a folder for each case. Of one port, three addresses: plain, encrypted, and one where a single script
 * answers everything, which is what worker mode does.
 */
final readonly class Site implements Served
{
    public const PLAIN = 'tcp://127.0.0.1';
    public const ENCRYPTED = 'tls://127.0.0.2';
    public const FRONT = 'tcp://127.0.0.3';

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

        return <<<NGINX
              geo \$dollar { default "$"; }
              keepalive_timeout 2s; client_header_timeout 2s; client_body_timeout 1s; lingering_timeout 1s;
              ssl_certificate $this->folder/server.crt; ssl_certificate_key $this->folder/server.key;
              server {
                listen 127.0.0.1:$port; listen 127.0.0.2:$port ssl;
                server_name shop.example;
                root {$this->root()}; index index.php index.html;
                location / { try_files \$uri \$uri/ =404; }
                location ~ /\.(?!well-known) { deny all; }
                location ~ ^/[^/]+/inside/ { internal; }
            $special
                location ~ [^/]\.php(/|$) { {$script(false)} }
              }
              server {
                listen 127.0.0.3:$port;
                server_name shop.example;
                root {$this->root()};
                location ~ ^/[^/]+/inside/ { internal; }
                location / { $front }
              }

            NGINX;
    }

    /** Scripts that use tell() load it. */
    private function code(string $content): string
    {
        return str_contains($content, 'tell(')
            ? (string) preg_replace('/<\?php\b/', "<?php require_once '$this->folder/tell.php';", $content, 1)
            : $content;
    }
}
