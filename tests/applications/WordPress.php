<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

/** Its files, a configuration of our own instead of Debian's, which would be in /etc/wordpress. */
final class WordPress implements Application
{
    private const FILES = '/usr/share/wordpress';

    public function host(): string
    {
        return 'wordpress.test';
    }

    public function prepare(Stack $stack): void
    {
        $stack->query('CREATE DATABASE wordpress CHARACTER SET utf8mb4');
        $site = self::site($stack);
        Stack::run('cp', '-a', self::FILES, $site);
        unlink("$site/wp-config.php");
        file_put_contents("$site/wp-config.php", $this->configuration($stack));
        $stack->give($site);
    }

    /** As WordPress's own documentation has it for nginx; nothing that users upload is run. */
    public function server(Stack $stack): string
    {
        $site = self::site($stack);

        return <<<NGINX
                root $site;
                index index.php;
                location / { try_files \$uri \$uri/ /index.php?\$args; }
                location ~* ^/wp-content/uploads/.*\.php(/|\$) { deny all; }
                location ~ \.php(/|\$) {
            {$stack->pass()}
                }

            NGINX;
    }

    public static function site(Stack $stack): string
    {
        return "$stack->folder/wordpress";
    }

    public function changing(): array
    {
        return [
            '~\b[0-9a-f]{10}\b~' => 'NONCE',
            '~\b\d{10}(000)?\b~' => 'SECONDS',
            '~\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?~' => 'MOMENT',
            '~\b\d\d?:\d\d(:\d\d)?( ?[ap]m)?\b~i' => 'TIME',
            '~\b\d+ (second|min)s? ago~' => 'AGO',
            '~(<div class="(hh|mn|ss)">)\d+~' => '$1',
            '~( name="(hh|mn|ss)" value=")\d+~' => '$1',
            // Of a scheduled task: how soon, or since when.
            '~(Automatic update )(overdue by|scheduled in)[^<]*~' => '$1',
            '~(data-pw=")[^"]*~' => '$1PASSWORD',
            '~(moderation-hash=)[0-9a-f]+~' => '$1HASH',
            // An address, each time hidden from robots in another way.
            '~(mailto:)[^"]*">[^<]*~' => '$1ADDRESS',
            '~\d(\.gravatar\.com)~' => '$1',
        ];
    }

    private function configuration(Stack $stack): string
    {
        $constants = [
            'DB_NAME' => 'wordpress',
            'DB_USER' => 'php',
            'DB_PASSWORD' => 'secret',
            'DB_HOST' => "localhost:{$stack->socket()}",
            'DB_CHARSET' => 'utf8mb4',
            'WP_HTTP_BLOCK_EXTERNAL' => true,
            'AUTOMATIC_UPDATER_DISABLED' => true,
            'FS_METHOD' => 'direct',
            'SCRIPT_DEBUG' => true,
        ];
        foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $kind) {
            $constants["{$kind}_KEY"] = "the key of $kind";
            $constants["{$kind}_SALT"] = "the salt of $kind";
        }
        $text = "<?php\n";
        foreach ($constants as $name => $value) {
            $text .= "define('$name', " . var_export($value, true) . ");\n";
        }

        return "$text\$table_prefix = 'wp_';\nif (!defined('ABSPATH')) {\n    define('ABSPATH', __DIR__ . '/');\n}\n"
            . "require_once ABSPATH . 'wp-settings.php';\n";
    }
}
