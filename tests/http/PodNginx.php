<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Assert;

/** An nginx with the configuration of packaging/kubernetes, in a folder and on ports of its own, and that of packaging/compose in front. */
final class PodNginx
{
    public readonly string $folder;
    public readonly Client $pages;
    public readonly Client $figures;
    public readonly int $proxied;

    /** @var resource */
    private $process;

    public function __construct(string $text, string $proxy = '')
    {
        $this->folder = sys_get_temp_dir() . '/howdah-pod-' . bin2hex(random_bytes(6));
        mkdir("{$this->folder}/public", recursive: true);
        file_put_contents("{$this->folder}/public/index.php", '<?php echo "a page";');
        [$pages, $figures, $this->proxied] = [Server::freePort(), Server::freePort(), Server::freePort()];
        $this->pages = new Client("http://127.0.0.1:$pages");
        $this->figures = new Client("http://127.0.0.1:$figures");
        $module = (getenv('HOWDAH_BUILD') ?: dirname(__DIR__, 2) . '/build') . '/ngx_http_howdah_module.so';
        $user = posix_getuid() === 0 ? ' user root;' : '';
        $edits = [
            'load_module modules/ngx_http_howdah_module.so;' => "load_module $module;$user",
            'listen 8080;' => "listen 127.0.0.1:$pages;",
            'listen 9090;' => "listen 127.0.0.1:$figures;",
            'root /app/public;' => "root {$this->folder}/public;",
            'drain=/run/howdah/drain;' => "drain={$this->folder}/drain;",
            '/dev/stdout' => "{$this->folder}/access",
        ];
        if ($proxy !== '') {
            $edits["\nhttp {\n"] = "\nhttp {\n" . self::edit($proxy, [
                'listen 80;' => "listen 127.0.0.1:{$this->proxied};",
                'set $app app;' => 'set $app 127.0.0.1;',
                ':8080' => ":$pages",
            ]);
        }
        file_put_contents("{$this->folder}/nginx.conf", self::edit($text, $edits));
        $out = ['file', "{$this->folder}/log", 'a'];
        $command = ['nginx', '-p', $this->folder, '-e', 'stderr', '-c', 'nginx.conf'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], $out, $out], $pipes);
        Assert::assertIsResource($process);
        $this->process = $process;
        $isReady = fn (): bool => !$this->runs() || $this->figures->get('/health/ready')->status === 200;
        Clock::await($isReady, fn (): string => "nginx is ready: {$this->log()}");
        Assert::assertTrue($this->runs(), $this->log());
    }

    /** As the kubelet does it with the image's STOPSIGNAL. */
    public function quit(): void
    {
        posix_kill(proc_get_status($this->process)['pid'], SIGQUIT);
        Clock::await(fn (): bool => !$this->runs(), fn (): string => "nginx ends: {$this->log()}");
    }

    public function __destruct()
    {
        if ($this->runs()) {
            posix_kill(proc_get_status($this->process)['pid'], SIGTERM);
        }
        proc_close($this->process);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /** @return list<int> */
    public function workers(): array
    {
        return Server::children(proc_get_status($this->process)['pid']);
    }

    /** @phpstan-impure */
    private function runs(): bool
    {
        return proc_get_status($this->process)['running'];
    }

    private function log(): string
    {
        return (string) file_get_contents("{$this->folder}/log");
    }

    /** @param array<string, string> $edits */
    private static function edit(string $text, array $edits): string
    {
        foreach ($edits as $old => $new) {
            Assert::assertSame(1, substr_count($text, $old), $old);
        }

        return strtr($text, $edits);
    }
}
