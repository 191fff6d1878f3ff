<?php

declare(strict_types=1);

namespace Howdah\WaitingTests;

/**
 * No script can tell the resolver whom to ask, and the machine's is not ours to change. So PHPUnit and all that it starts get a
 * mount namespace with an /etc/resolv.conf of their own, a copy until the first row that needs SlowDns. Root only: mount
 * namespaces are, and so is port 53.
 */
final class Resolver
{
    /** The file that hides /etc/resolv.conf; null: SlowDns says so. */
    private static ?string $file = null;

    /** Before any server is started. */
    public static function separate(): void
    {
        if (posix_geteuid() !== 0) {
            return;
        }
        $file = (string) tempnam(sys_get_temp_dir(), 'howdah-resolv-');
        copy('/etc/resolv.conf', $file);
        chmod($file, 0644);
        $pid = getmypid();
        register_shutdown_function(static fn () => getmypid() === $pid && unlink($file));
        // Without pcntl, or where it is refused, tests that need it say so (Component\SlowDns): no warning of PHP's as well.
        if (function_exists('pcntl_unshare') && @pcntl_unshare(CLONE_NEWNS)) {
            $mount = 'mount --make-rprivate / && mount --bind ' . escapeshellarg($file) . ' /etc/resolv.conf';
            exec("$mount 2>&1", $lines, $status);
            self::$file = $status === 0 ? $file : null;
        }
    }

    /** @return bool whether it is possible here */
    public static function ask(string $address, int $limitSeconds, int $attempts = 1): bool
    {
        // In place: it is this file, not its name, that is mounted.
        $text = "nameserver $address\nsearch .\noptions timeout:$limitSeconds attempts:$attempts\n";

        return self::$file !== null && file_put_contents(self::$file, $text) !== false;
    }
}
