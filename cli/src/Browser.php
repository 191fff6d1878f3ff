<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Control\PassedSocket;

/** The browser of the person who started the command. */
final readonly class Browser
{
    /** `open` is that of macOS. */
    private const PROGRAMS = ['xdg-open', 'sensible-browser', 'x-www-browser', 'open'];

    /** Opens a page, and waits for nothing. False where no browser is to be had. */
    public static function open(string $url): bool
    {
        // Whoever listens on all addresses is here, too.
        $url = strtr($url, ['//0.0.0.0:' => '//127.0.0.1:', '//[::]:' => '//[::1]:']);
        if (!str_starts_with($url, 'http')) {
            return false;
        }
        $named = (string) getenv('BROWSER');
        foreach ([...($named === '' ? [] : [$named]), ...self::PROGRAMS] as $name) {
            $program = str_contains($name, '/') && is_executable($name) ? $name : Program::find($name);
            if ($program !== null) {
                $nowhere = ['file', '/dev/null', 'w'];
                $setsid = Program::find('setsid');
                $command = [...($setsid === null ? [] : [$setsid, '--fork']), $program, $url];
                $process = proc_open(PassedSocket::without($command), [['file', '/dev/null', 'r'], $nowhere, $nowhere], $pipes);

                return $process !== false;
            }
        }

        return false;
    }
}
