<?php

declare(strict_types=1);

namespace Howdah\Cli\Development;

/** What a changed file means to a running application. */
enum FileKind
{
    /** PHP, templates, translations, configuration: an application that has booted may have taken it in. */
    case Code;

    /** What nginx is told by `howdah serve` depends on it. */
    case Rules;

    /** nginx sends it, from the file: only browsers have the old one. */
    case Asset;

    /** Logs, databases, what editors leave behind. */
    case Other;

    /** Folders in which applications and tools write while they run, or that are too large to matter: "/PATH" in the project. */
    public const IGNORED = [
        '.git', '.hg', '.svn', '.idea', '.vscode', '.cache', 'node_modules', '.phpunit.cache',
        // Laravel, Symfony, CodeIgniter, Yii, WordPress, Drupal.
        '/storage', '/bootstrap/cache', '/var', '/writable', '/runtime', '/wp-content/cache', '/wp-content/uploads',
        '/wp-content/upgrade', '/web/sites/default/files', '/sites/default/files', '/public/storage',
        '/tmp', '/temp', '/cache', '/log', '/logs',
    ];

    private const CODE = [
        'php', 'phtml', 'inc', 'module', 'theme', 'install', 'profile', 'twig', 'latte', 'tpl', 'mustache', 'blade', 'env',
        'ini', 'yaml', 'yml', 'xml', 'xlf', 'xliff', 'json', 'neon', 'toml', 'po', 'mo', 'graphql', 'sql', 'md', 'txt', 'html',
        'htm',
    ];

    private const ASSETS = [
        'css', 'js', 'mjs', 'map', 'svg', 'png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'ico', 'woff', 'woff2', 'wasm',
        'webmanifest',
    ];

    /** @param string $path with a slash at its end where it is a folder */
    public static function of(string $path): self
    {
        $name = basename($path);
        $extension = strtolower(pathinfo($name, PATHINFO_EXTENSION));

        return match (true) {
            // One that came or went took its files along.
            str_ends_with($path, '/') => self::Code,
            preg_match('/~$|^\.#|^#.*#$|^\d{4,5}$|___jb_(?:tmp|old)___$|\.sw[a-p]$/sD', $name) === 1 => self::Other,
            $name === '.htaccess' => self::Rules,
            // .env, .env.local.
            str_starts_with($name, '.env'), in_array($extension, self::CODE, true) => self::Code,
            in_array($extension, self::ASSETS, true) => self::Asset,
            default => self::Other,
        };
    }
}
