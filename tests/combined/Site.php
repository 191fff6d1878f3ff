<?php

declare(strict_types=1);

namespace Howdah\Combined;

use Howdah\HttpTests\Client;
use Howdah\HttpTests\Server;
use Howdah\Tests\Clock;
use Howdah\Tests\Late;
use RuntimeException;

/** One nginx with all modules: the same locations twice, with Howdah and with php-fpm behind them. */
final class Site
{
    private const APP = __DIR__ . '/app';

    /** As many as the clients are, and what their pages include. */
    private const AT_ONCE = 32;

    /** @var array{howdah: int, fpm: int} HTTP/1 */
    public readonly array $ports;

    /** @var array{howdah: int, fpm: int} HTTP/2 without TLS */
    public readonly array $ports2;

    /** @var list<resource> */
    private array $processes = [];

    public function __construct(private readonly string $folder, private readonly Locations $locations)
    {
        $this->ports = ['howdah' => Server::freePort(), 'fpm' => Server::freePort()];
        $this->ports2 = ['howdah' => Server::freePort(), 'fpm' => Server::freePort()];
        mkdir("$folder/www/inc", recursive: true);
        file_put_contents("$folder/www/inc/text.txt", "text of a file: line, mark\n");
        file_put_contents("$folder/filters.js", <<<'JS'
            function head(r) { r.headersOut['X-Js'] = 'yes'; delete r.headersOut['Content-Length']; }
            function body(r, data, flags) { r.sendBuffer(data, flags); }
            export default { head, body };
            JS);
        file_put_contents("$folder/security.conf", "SecRuleEngine On\nSecRequestBodyAccess On\nSecResponseBodyAccess On\n"
            . "SecResponseBodyMimeType text/html text/xml\n"
            . "SecRule RESPONSE_BODY \"@contains forbidden-word\" \"id:1,phase:4,deny,status:403\"\n");
        file_put_contents("$folder/style.xslt", <<<'XML'
            <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
              <xsl:template match="/">
                <out><xsl:for-each select="page/p"><q><xsl:value-of select="."/></q></xsl:for-each></out>
              </xsl:template>
            </xsl:stylesheet>
            XML);
        file_put_contents("$folder/nginx.conf", $this->configuration());
        $user = posix_geteuid() === 0 ? "user = root\ngroup = root\n" : '';
        file_put_contents("$folder/fpm.conf", "[global]\nerror_log = $folder/fpm.log\ndaemonize = no\n[www]\n{$user}"
            . "listen = $folder/fpm.sock\npm = static\npm.max_children = " . self::AT_ONCE . "\nlisten.backlog = 1000\n");
        $series = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $settings = ['-d', 'display_errors=0', '-d', 'expose_php=0'];
        $fpm = ["/usr/sbin/php-fpm$series", '-F', '-R', '-n', '-y', "$folder/fpm.conf", ...$settings];
        $this->start($fpm, 'fpm.out');
        $this->start(['nginx', '-p', $folder, '-e', 'stderr', '-c', 'nginx.conf'], 'log');
        try {
            Clock::await(
                fn (): bool => file_exists("$folder/fpm.sock") && $this->listens(),
                fn (): string => "nginx and php-fpm answer: {$this->log()}",
            );
        } catch (Late $late) {
            $this->stop();
            throw $late;
        }
    }

    public function client(string $which, bool $second = false): Client
    {
        return new Client('http://127.0.0.1:' . ($second ? $this->ports2 : $this->ports)[$which]);
    }

    public function log(): string
    {
        return (string) file_get_contents("$this->folder/log");
    }

    /** @return list<string> what nginx and the sanitizers complain of. What nginx does with php-fpm's answers is its own matter. */
    public function complaints(): array
    {
        $complaint = static fn (string $line): bool => !str_contains($line, 'upstream: "fastcgi:')
            && preg_match('/\[(alert|emerg|crit)\]|Sanitizer|runtime error: /', $line) === 1;

        return array_values(array_filter(explode("\n", $this->log()), $complaint));
    }

    public function worker(): int
    {
        return Server::children(proc_get_status($this->processes[1])['pid'])[0] ?? 0;
    }

    public function stop(): void
    {
        foreach ($this->processes as $process) {
            proc_terminate($process);
            proc_close($process);
        }
        $this->processes = [];
    }

    /** @param list<string> $command */
    private function start(array $command, string $log): void
    {
        $out = ['file', "$this->folder/$log", 'a'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes, $this->folder);
        $this->processes[] = $process === false ? throw new RuntimeException("$command[0] cannot be started") : $process;
    }

    private function listens(): bool
    {
        if (!proc_get_status($this->processes[1])['running']) {
            $this->stop();
            throw new RuntimeException("nginx has ended: {$this->log()}");
        }

        return $this->client('howdah')->get('/inc/text.txt')->status === 200;
    }

    private function configuration(): string
    {
        $build = getenv('HOWDAH_BUILD') ?: dirname(__DIR__, 2) . '/build';
        $user = posix_geteuid() === 0 ? "user root;\n" : '';
        // Each byte is another one in the other alphabet.
        $http = "charset_map koi8-r utf-8 { C5 D0B5; CB D0BA; CF D0BE; C9 D0B8; }\ndefault_type text/plain; access_log off;\n"
            . "client_body_temp_path $this->folder/body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;\n"
            . "uwsgi_temp_path uwsgi; scgi_temp_path scgi; howdah_ini display_errors=0; howdah_ini output_buffering=0;\n"
            . 'howdah_concurrency ' . self::AT_ONCE . "; keepalive_timeout 2s; fastcgi_buffers 64 16k;\n"
            . "js_import filters from $this->folder/filters.js;\n"
            . "perl_set \$perl_says 'sub { return \"yes\"; }';\nupload_progress uploads 1m;\n";

        return Modules::directives() . "load_module $build/ngx_http_howdah_module.so;\n"
            . "daemon off;\npid nginx.pid;\n{$user}error_log stderr warn;\nworker_processes 1;\n"
            . "events { worker_connections 1024; multi_accept on; }\n"
            . "http {\n$http{$this->server('howdah')}{$this->server('fpm')}}\n";
    }

    private function server(string $which): string
    {
        $fpm = "fastcgi_pass unix:$this->folder/fpm.sock; include /etc/nginx/fastcgi_params;"
            . ' fastcgi_param SCRIPT_FILENAME ' . self::APP . '/page.php;';
        $passes = ['classic' => 'howdah_pass classic ' . self::APP . '/page.php;', 'worker' => 'howdah_pass worker '
            . self::APP . '/worker.php;'];
        $inner = $which === 'fpm' ? $fpm : $passes['classic'];
        $text = "server {\nlisten 127.0.0.1:{$this->ports[$which]}; listen 127.0.0.1:{$this->ports2[$which]} http2;\n"
            . "root $this->folder/www;\nlocation = /stub { stub_status; }\n"
            . "location = /inc/page.php { $inner }\nlocation = /inc/one { set \$args lines=1; $inner }\n"
            . "location = /inc/slow { set \$args lines=2&every=1&pause=500; $inner }\n"
            . "location = /inc/nothing { return 404; }\n";
        foreach ($this->locations->all as $number => $location) {
            $pass = $which === 'fpm' ? $fpm : $passes[$location['mode']];
            // It says itself that it has to be the last one of its location.
            $track = $number % 5 === 0 ? ' track_uploads uploads 1s;' : '';
            $text .= "location /$number/ { {$location['settings']}$pass$track }\n";
        }

        return "$text}\n";
    }
}
