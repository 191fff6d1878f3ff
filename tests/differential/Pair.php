<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use Howdah\Tests\Clock;
use Howdah\Tests\Phpt\Exchange;
use Howdah\Tests\Phpt\Failure;
use Howdah\Tests\Phpt\Machine;
use Howdah\Tests\Phpt\Request;
use Howdah\Tests\Phpt\Servers;

/** nginx with php-fpm and nginx with Howdah, in both modes, on one site. */
final class Pair
{
    private readonly string $folder;
    private readonly Servers $servers;
    private readonly int $fpm;
    private readonly int $howdah;

    /** @param array<string, Question> $questions by name */
    public function __construct(private readonly array $questions)
    {
        $this->folder = sys_get_temp_dir() . '/differential-' . bin2hex(random_bytes(4));
        mkdir($this->folder);
        $config = getenv('PHP_CONFIG');
        $machine = new Machine($this->folder, is_string($config) && $config !== '' ? $config : 'php-config');
        $site = new Site($this->folder, $questions);
        $module = dirname(__DIR__, 2) . '/build/ngx_http_howdah_module.so';
        $opcache = ['opcache.memory_consumption' => '32', 'opcache.interned_strings_buffer' => '4'];
        $settings = ['display_errors' => '1', 'register_argc_argv' => '0'] + $opcache + $machine->settings();
        // These two each worker has from the system's list of users.
        $environment = array_diff_key($machine->environment(''), ['HOME' => 1, 'USER' => 1]);
        $this->servers = new Servers($this->folder, $module, $machine, $site, $settings, $environment, 4);
        // Also after a fatal error.
        register_shutdown_function($this->stop(...));
        try {
            $this->fpm = $this->servers->startFpm();
            $this->howdah = $this->servers->startHowdah('howdah', 0);
        } catch (Failure $failure) {
            $this->stop();
            throw $failure;
        }
    }

    /** Asks again where the answers differ and a second ended meanwhile: what tells the time differs then. */
    public function compare(string $name, string $mode): Comparison
    {
        return Clock::await(function () use ($name, $mode): ?Comparison {
            $second = time();
            $comparison = new Comparison($this->ask($this->fpm, $name, $mode), $this->ask($this->howdah, $name, $mode));

            return $comparison->differences === [] || time() === $second ? $comparison : null;
        }, "$mode, $name: two answers in one second");
    }

    /** Waits until a second of the date has so many microseconds left: what tells the time changes then. */
    public static function awaitEndOfSecond(int $microseconds): void
    {
        $left = 1_000_000 - (int) (fmod(microtime(true), 1) * 1_000_000);
        usleep($left - $microseconds + ($left < $microseconds ? 1_000_000 : 0));
    }

    /** @return list<string> what nginx said of workers that it has lost */
    public function losses(): array
    {
        return $this->servers->losses('howdah');
    }

    public function stop(): void
    {
        $this->servers->stop();
        Machine::said(['rm', '-rf', $this->folder]);
    }

    /** @return list<Reply> */
    private function ask(int $port, string $name, string $mode): array
    {
        $question = $this->questions[$name];
        $address = Site::address($question, $mode);
        $exchange = new Exchange($port, Request::verbatim($question->bytes($name)), Clock::PATIENCE, $address);
        $started = Clock::now();
        $own = strrchr((string) stream_socket_get_name($exchange->socket, false), ':') ?: ':';
        while ($exchange->answer === null) {
            $read = [$exchange->socket];
            $write = $exchange->isSending() ? $read : [];
            $except = null;
            stream_select($read, $write, $except, 1);
            $exchange->send();
            $exchange->receive();
            if (Clock::now() - $started > Clock::PATIENCE) {
                Clock::late("$mode, $name: the end of what port $port answers: {$exchange->bytes()}");
            }
        }
        // Both servers' ports, in both answers: a page that prints many numbers prints them, too.
        $ports = [$this->fpm, $this->howdah, (int) substr($own, 1)];

        return Reply::all(Unrepeatable::hidden($exchange->bytes(), ...$ports), $question->heads());
    }
}
