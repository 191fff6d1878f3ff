<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Control\ServiceManager;

/**
 * What workers see of the environment of the command: all of it, as under `php -S`; nginx would clear it.
 *
 * Another user's workers do not see what is root's own: who it is, where it lives, and the folders that they may not enter. A
 * shell says of a program that it looked for in one of those "Permission denied", not "not found".
 */
final readonly class Environment
{
    /** nginx's own, and what a service's manager says to this command alone. */
    private const NEVER = ['NGINX', ...ServiceManager::VARIABLES];

    /** Of a person, and so of another one; HOME and USER the engine sets where they are missing. */
    private const PERSONAL = ['HOME', 'USER', 'LOGNAME', 'MAIL', 'SHELL', 'PWD', 'OLDPWD', 'SSH_AUTH_SOCK', 'XAUTHORITY'];
    private const PERSONAL_PREFIXES = ['XDG_', 'DBUS_SESSION_'];

    /** Each is a folder; without it there is one for all. */
    private const TEMPORARY = ['TMPDIR', 'TMP', 'TEMP'];

    /** systemd's for services. */
    private const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

    /** @param array<string, string> $ofProject that its worker script expects, over the command's */
    public function __construct(private ServeOptions $options, private array $ofProject = [])
    {
    }

    /** @return list<string> for nginx's main block */
    public function lines(): array
    {
        $names = array_filter(
            array_diff(array_keys(getenv()), self::NEVER),
            fn (string $name): bool => preg_match('/^[A-Za-z_]\w*$/D', $name) === 1 && !$this->isHidden($name),
        );
        $names = array_diff($names, array_keys($this->ofProject));
        sort($names);

        return [
            ...array_map(fn (string $name): string => 'env ' . $this->entry($name) . ';', $names),
            ...array_map(
                static fn (string $name, string $value): string => 'env ' . NginxString::literal("$name=$value") . ';',
                array_keys($this->ofProject),
                $this->ofProject,
            ),
        ];
    }

    private function isHidden(string $name): bool
    {
        if ($this->options->user === null) {
            return false;
        }
        foreach (self::PERSONAL_PREFIXES as $prefix) {
            if (str_starts_with($name, $prefix)) {
                return true;
            }
        }

        return in_array($name, self::PERSONAL, true)
            || (in_array($name, self::TEMPORARY, true) && !$this->options->workersMay('-w', (string) getenv($name)));
    }

    /** The variable's name, and its value where that is another one. */
    private function entry(string $name): string
    {
        if ($name !== 'PATH' || $this->options->user === null) {
            return $name;
        }
        $folders = $this->options->thoseThatWorkersMay('-x', explode(':', (string) getenv($name)));

        return NginxString::literal("$name=" . (implode(':', $folders) ?: self::PATH));
    }
}
