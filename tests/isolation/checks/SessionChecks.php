<?php

/**
 * Sessions: where they are kept, their name and identity, what is in them.
 */

declare(strict_types=1);

namespace Howdah\Tests\Isolation;

use Generator;
use SessionHandlerInterface;

/**
 * Keeps sessions in memory, and waits each time that it is asked.
 */
final class PausingSessions implements SessionHandlerInterface
{
    /** @var array<string, string> */
    public array $kept = [];

    /** @var list<string> */
    public array $calls = [];

    public function __construct(private readonly Probe $probe)
    {
    }

    public function open(string $path, string $name): bool
    {
        $this->probe->pause();
        $this->calls[] = "open {$path} {$name}";

        return true;
    }

    public function close(): bool
    {
        $this->probe->pause();
        $this->calls[] = 'close';

        return true;
    }

    public function read(string $id): string
    {
        $this->probe->pause();
        $this->calls[] = "read {$id}";

        return $this->kept[$id] ?? '';
    }

    public function write(string $id, string $data): bool
    {
        $this->probe->pause();
        $this->calls[] = "write {$id}";
        $this->kept[$id] = $data;

        return true;
    }

    public function destroy(string $id): bool
    {
        $this->probe->pause();
        unset($this->kept[$id]);

        return true;
    }

    public function gc(int $max_lifetime): int
    {
        $this->probe->pause();

        return 0;
    }
}

/**
 * @phpstan-import-type Check from Checks
 */
final class SessionChecks implements Checks
{
    public function __construct(private readonly Probe $probe)
    {
    }

    public function checks(): array
    {
        return extension_loaded('session') ? ['session' => $this->session()] : [];
    }

    /** @return Check */
    private function session(): Generator
    {
        $id = str_replace('.', '-', $this->probe->mark('session'));
        $name = "S{$this->probe->id}";
        $limiter = $this->probe->choose('limiter', ['nocache', 'public', 'private', '']);
        $handler = new PausingSessions($this->probe);
        $handler->kept[$id] = 'before|s:' . strlen($id) . ":\"{$id}\";";
        $before = [(string) session_name(), session_save_path(), (string) session_cache_limiter()];
        session_set_save_handler($handler, false);
        session_save_path($this->probe->mark('path'));
        session_name($name);
        session_cache_limiter($limiter);
        session_id($id);
        $options = ['use_cookies' => '0', 'use_strict_mode' => '0', 'lazy_write' => '0', 'gc_probability' => '0'];
        $started = session_start($options);
        $_SESSION['mark'] = $id;
        $calls = ["open {$this->probe->mark('path')} {$name}", "read {$id}"];
        yield static fn (): array => [
            'started' => [true, $started],
            'status' => [PHP_SESSION_ACTIVE, session_status()],
            'id' => [$id, session_id()],
            'name' => [$name, session_name()],
            'limiter' => [$limiter, session_cache_limiter()],
            'calls' => [$calls, $handler->calls],
            'values' => [['before' => $id, 'mark' => $id], $_SESSION],
            'encoded' => ["before|s:" . strlen($id) . ":\"{$id}\";mark|s:" . strlen($id) . ":\"{$id}\";", session_encode()],
        ];
        session_write_close();
        $calls = [...$calls, "write {$id}", 'close'];
        yield static fn (): array => [
            'written' => ["before|s:" . strlen($id) . ":\"{$id}\";mark|s:" . strlen($id) . ":\"{$id}\";", $handler->kept[$id]],
            'all calls' => [$calls, $handler->calls],
            'closed' => [PHP_SESSION_NONE, session_status()],
        ];
        unset($_SESSION);
        session_id('');
        session_name($before[0]);
        session_save_path((string) $before[1]);
        session_cache_limiter($before[2]);
    }
}
