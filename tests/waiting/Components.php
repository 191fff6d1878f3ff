<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

use Howdah\WaitingTests\App\Settings;
use Throwable;

/** The components that run: each is started when a test first needs it and stopped when PHPUnit ends. */
final class Components
{
    private const TRIES = 3;

    /** How servers say that a port is in use. */
    private const TAKEN = '/address already in use|eaddrinuse|could not bind|another server running/i';

    /** @var array<class-string<Component>, Component> */
    private static array $running = [];

    /** The folder of the settings' file, also for what rows leave for the tests to see. */
    private static ?string $folder = null;

    /** @param class-string<Component> ...$classes */
    public static function need(string ...$classes): void
    {
        foreach ($classes as $class) {
            if (!isset(self::$running[$class])) {
                self::$running[$class] = self::start($class);
                self::writeSettings();
            }
        }
    }

    /**
     * Between the choice of a port and the start of a server somebody else may have taken it: then it is tried on another one.
     *
     * @param class-string<Component> $class
     */
    private static function start(string $class): Component
    {
        for ($try = 1;; $try++) {
            $component = new $class();
            try {
                $component->start();

                return $component;
            } catch (Throwable $thrown) {
                $component->stop();
                if ($try === self::TRIES || preg_match(self::TAKEN, $thrown->getMessage()) !== 1) {
                    throw $thrown;
                }
            }
        }
    }

    /** @param class-string<Component> ...$classes */
    public static function run(string ...$classes): bool
    {
        return array_diff($classes, array_keys(self::$running)) === [];
    }

    /**
     * @template T of Component
     * @param  class-string<T> $class
     * @return T
     */
    public static function get(string $class): Component
    {
        self::need($class);
        $component = self::$running[$class];
        assert($component instanceof $class);

        return $component;
    }

    /** Before the first server is started: its environment tells rows where the settings are. */
    public static function folder(): string
    {
        if (self::$folder !== null) {
            return self::$folder;
        }
        $folder = self::$folder = sys_get_temp_dir() . '/howdah-waiting-' . bin2hex(random_bytes(6));
        mkdir($folder);
        putenv(Settings::VARIABLE . "=$folder/settings.json");
        self::writeSettings();
        register_shutdown_function(self::stop(...));

        return $folder;
    }

    public static function stop(): void
    {
        foreach (self::$running as $component) {
            $component->stop();
        }
        self::$running = [];
        if (self::$folder !== null) {
            array_map(unlink(...), glob(self::$folder . '/*') ?: []);
            rmdir(self::$folder);
            self::$folder = null;
        }
    }

    /** Requests may be reading: the new file takes the old one's place at once. */
    private static function writeSettings(): void
    {
        $settings = [];
        foreach (self::$running as $class => $component) {
            $settings[substr($class, (int) strrpos($class, '\\') + 1)] = $component->settings();
        }
        $file = self::folder() . '/settings.json';
        file_put_contents("$file.new", json_encode($settings, JSON_THROW_ON_ERROR | JSON_FORCE_OBJECT));
        rename("$file.new", $file);
    }
}
