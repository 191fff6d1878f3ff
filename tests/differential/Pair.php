<?php

declare(strict_types=1);

namespace Howdah\Tests\Differential;

use Howdah\Tests\Phpt\Exchange;
use Howdah\Tests\Phpt\Failure;
use Howdah\Tests\Phpt\Machine;
use Howdah\Tests\Phpt\Request;
use Howdah\Tests\Phpt\Servers;

/** nginx with php-fpm and nginx with Howdah, in both modes, on one site. */
final class Pair
{
    /** Seconds until an answer has to have ended. */
    private const PATIENCE = 30;

    /** How many times in a row a second may end between two answers to the same question. */
    private const TURNS = 3;

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
        $turns = 0;
        do {
            $second = time();
            $comparison = new Comparison($this->ask($this->fpm, $name, $mode), $this->ask($this->howdah, $name, $mode));
        } while ($comparison->differences !== [] && time() !== $second && ++$turns < self::TURNS);

        return $comparison;
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
        $address = $mode === 'worker' ? Site::FRONT : ($question->isEncrypted ? Site::ENCRYPTED : Site::PLAIN);
        $exchange = new Exchange($port, Request::verbatim($question->bytes($name)), self::PATIENCE, $address);
        $own = strrchr((string) stream_socket_get_name($exchange->socket, false), ':') ?: ':';
        while ($exchange->answer === null) {
            $read = [$exchange->socket];
            $write = $exchange->isSending() ? $read : [];
            $except = null;
            stream_select($read, $write, $except, 1);
            $exchange->send();
            $exchange->receive();
            $exchange->lookAtTheClock();
        }

        return Reply::all($this->normal($exchange->bytes(), $port, substr($own, 1)), $question->heads());
    }

    /** Without what no two answers have in common, at the same length. */
    private function normal(string $bytes, int $port, string $own): string
    {
        $random = [
            '/(?<=^Date: )[^\r\n]+/m' => '*',
            '/\b' . $port . '\b/' => '*',
            '/\b' . $own . '\b/' => '*',
            '/(?<=PHPSESSID=)[a-zA-Z0-9,-]{22,}/' => '*',
            '#(?<=/tmp/php)[a-zA-Z0-9]{6}\b#' => '*',
        ];
        foreach ($random as $pattern => $mark) {
            preg_match_all($pattern, $bytes, $found);
            $hidden = array_map(static fn (string $text): string => str_repeat($mark, strlen($text)), $found[0]);
            $bytes = strtr($bytes, array_combine($found[0], $hidden));
        }

        return $bytes;
    }
}
