<?php

declare(strict_types=1);

namespace Howdah\ClientTests;

use Howdah\Tests\Clock;
use RuntimeException;

/** A headless Chromium with one page, told what to do over its debugging pipe (the DevTools protocol: JSON, ended by a zero). */
final class Chromium
{
    /** Seconds for its end, when it has been told to. */
    private const PATIENCE = 10;

    private readonly string $folder;

    /** @var resource */
    private $process;

    /** @var resource commands */
    private $commands;

    /** @var resource answers and events */
    private $answers;

    private int $number = 0;
    private string $received = '';
    private string $session = '';

    /** @var list<array{string, array<array-key, mixed>}> what has happened since watch() */
    private array $events = [];
    private bool $watches = false;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/howdah-chromium-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $log = ['file', "$this->folder/log", 'a'];
        $process = proc_open(
            ['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
                '--no-proxy-server', '--disable-background-networking', '--disable-component-update', '--remote-debugging-pipe',
                "--user-data-dir=$this->folder/profile", '--window-size=1100,1000', 'about:blank'],
            [['file', '/dev/null', 'r'], $log, $log, ['pipe', 'r'], ['pipe', 'w']],
            $pipes,
            $this->folder,
            ['HOME' => $this->folder, 'XDG_CONFIG_HOME' => $this->folder, 'XDG_CACHE_HOME' => $this->folder] + getenv(),
        );
        if ($process === false) {
            throw new RuntimeException('chromium cannot be started');
        }
        [$this->process, $this->commands, $this->answers] = [$process, $pipes[3], $pipes[4]];
        stream_set_blocking($this->answers, false);
        $target = $this->ask('Target.createTarget', ['url' => 'about:blank'])['targetId'];
        $session = $this->ask('Target.attachToTarget', ['targetId' => $target, 'flatten' => true])['sessionId'];
        $this->session = is_string($session) ? $session : '';
        $this->ask('Page.enable');
    }

    public function open(string $url): void
    {
        $this->ask('Page.navigate', ['url' => $url]);
    }

    /** From now on what the page asks for, and what its console says, is kept. */
    public function watch(): void
    {
        $this->watches = true;
        foreach (['Runtime.enable', 'Log.enable', 'Network.enable'] as $command) {
            $this->ask($command);
        }
        $this->events = [];
    }

    /** @return list<string> the addresses that were asked for since watch() */
    public function requests(): array
    {
        return array_map(static function (array $event): string {
            $request = $event['request'] ?? null;

            return is_array($request) && is_string($request['url']) ? $request['url'] : '';
        }, $this->happened('Network.requestWillBeSent'));
    }

    /** @return list<string> errors and warnings on the console, and what was thrown, since watch() */
    public function complaints(): array
    {
        $logged = array_filter(
            $this->happened('Runtime.consoleAPICalled'),
            static fn (array $event): bool => in_array($event['type'] ?? '', ['error', 'warning', 'assert'], true),
        );
        $all = [...$logged, ...$this->happened('Runtime.exceptionThrown'), ...$this->happened('Log.entryAdded')];

        return array_map(static fn (array $event): string => (string) json_encode($event), $all);
    }

    /** @return list<array<array-key, mixed>> the parameters of these events */
    private function happened(string $method): array
    {
        $these = array_filter($this->events, static fn (array $event): bool => $event[0] === $method);

        return array_map(static fn (array $event): array => $event[1], array_values($these));
    }

    /** As a device would show it. */
    public function become(int $width, int $height, string $colours = 'light'): void
    {
        $this->ask('Emulation.setDeviceMetricsOverride', ['width' => $width, 'height' => $height, 'mobile' => $width < 700,
            'deviceScaleFactor' => 1]);
        $this->ask('Emulation.setEmulatedMedia', ['features' => [['name' => 'prefers-color-scheme', 'value' => $colours]]]);
    }

    /** The value of an expression in the page. */
    public function evaluate(string $expression): mixed
    {
        $how = ['awaitPromise' => true, 'returnByValue' => true];
        $answer = $this->ask('Runtime.evaluate', ['expression' => $expression] + $how);
        if (isset($answer['exceptionDetails'])) {
            throw new RuntimeException("$expression: " . json_encode($answer['exceptionDetails']));
        }

        return is_array($answer['result']) ? $answer['result']['value'] ?? null : null;
    }

    /** Waits until an expression is true. */
    public function await(string $expression, string $what): void
    {
        $last = 'nothing';
        Clock::await(function () use ($expression, &$last): bool {
            try {
                return $this->evaluate($expression) === true;
            } catch (RuntimeException $exception) {
                if (feof($this->answers)) {
                    throw $exception;
                }
                // Another page is being loaded.
                $last = $exception->getMessage();

                return false;
            }
        }, static function () use ($expression, $what, &$last): string {
            return "$what: $expression (what it threw at last: $last)";
        });
    }

    /**
     * Chooses files in a form, as a user would.
     *
     * @param list<string> $files
     */
    public function choose(string $selector, array $files): void
    {
        $root = $this->ask('DOM.getDocument')['root'];
        $node = $this->ask('DOM.querySelector', [
            'nodeId' => is_array($root) ? $root['nodeId'] : 0,
            'selector' => $selector,
        ])['nodeId'];
        $this->ask('DOM.setFileInputFiles', ['nodeId' => $node, 'files' => $files]);
    }

    /** A PNG of what the page shows. */
    public function screenshot(): string
    {
        $data = $this->ask('Page.captureScreenshot')['data'];

        return is_string($data) ? (string) base64_decode($data, true) : '';
    }

    public function close(): void
    {
        fwrite($this->commands, json_encode(['id' => ++$this->number, 'method' => 'Browser.close']) . "\0");
        for ($clock = Clock::start(); proc_get_status($this->process)['running']; usleep(20_000)) {
            if ($clock->seconds() > self::PATIENCE) {
                proc_terminate($this->process, SIGKILL);
            }
        }
        proc_close($this->process);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /**
     * @param  array<string, mixed> $parameters
     * @return array<array-key, mixed>
     */
    private function ask(string $method, array $parameters = []): array
    {
        $command = ['id' => ++$this->number, 'method' => $method, 'params' => (object) $parameters];
        if ($this->session !== '') {
            $command['sessionId'] = $this->session;
        }
        fwrite($this->commands, json_encode($command, JSON_THROW_ON_ERROR) . "\0");
        while (true) {
            $message = $this->next($method);
            if (($message['id'] ?? null) !== $this->number) {
                $this->keep($message);
                continue;
            }
            if (!isset($message['result']) || !is_array($message['result'])) {
                throw new RuntimeException("$method: " . json_encode($message['error'] ?? $message));
            }

            return $message['result'];
        }
    }

    /** @param array<array-key, mixed> $message an event, or what nobody waits for */
    private function keep(array $message): void
    {
        if ($this->watches && is_string($message['method'] ?? null) && is_array($message['params'] ?? null)) {
            $this->events[] = [$message['method'], $message['params']];
        }
    }

    /** @return array<array-key, mixed> */
    private function next(string $method): array
    {
        $clock = Clock::start();
        while (($length = strpos($this->received, "\0")) === false) {
            $readable = [$this->answers];
            $none = $never = null;
            stream_select($readable, $none, $never, 1);
            $this->received .= fread($this->answers, 1 << 20);
            if (feof($this->answers)) {
                throw new RuntimeException("chromium has ended at $method: " . file_get_contents("$this->folder/log"));
            }
            if ($clock->seconds() > Clock::PATIENCE) {
                Clock::late("chromium's answer to $method: " . file_get_contents("$this->folder/log"));
            }
        }
        $message = json_decode(substr($this->received, 0, $length), true);
        $this->received = substr($this->received, $length + 1);

        return is_array($message) ? $message : [];
    }
}
