<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

/** Where Debian has it, with SQLite; pages are paths after the script. An environment variable tells where its settings are. */
final class MediaWiki implements Application
{
    private const FILES = '/var/lib/mediawiki';
    private const INSTALLER = '/usr/share/mediawiki/maintenance/install.php';

    public const PASSWORD = 'a very long password';

    public function host(): string
    {
        return 'mediawiki.test';
    }

    public function prepare(Stack $stack): void
    {
        $folder = $stack->makeFolder('mediawiki');
        $stack->makeFolder('mediawiki/images');
        $options = ['dbtype' => 'sqlite', 'dbpath' => "$folder/data", 'confpath' => $folder, 'scriptpath' => '',
            'server' => "http://{$this->host()}", 'pass' => self::PASSWORD];
        $arguments = array_map(static fn (string $name): string => "--$name=$options[$name]", array_keys($options));
        Stack::run(PHP_BINARY, self::INSTALLER, ...[...$arguments, 'Wiki of camels', 'Keeper']);
        file_put_contents("$folder/LocalSettings.php", $this->settings($folder), FILE_APPEND);
        $stack->give($folder);
    }

    public function server(Stack $stack): string
    {
        $files = self::FILES;
        $php = $stack->pass(['MW_CONFIG_FILE' => "$stack->folder/mediawiki/LocalSettings.php"]);

        return <<<NGINX
                root $files;
                index index.php;
                location / { try_files \$uri \$uri/ =404; }
                location /images/ { root $stack->folder/mediawiki; }
                location ~ ^/(?:index|api|load|rest|thumb)\.php(/|\$) {
            $php
                }
                location ~ \.php(/|\$) { return 403; }

            NGINX;
    }

    public function changing(): array
    {
        return [
            '~\b[0-9a-f]{40}(\+\\\\{1,4})?~' => 'TOKEN',
            '~\b20\d{12}\b~' => 'MOMENT',
            '~("wgUser(First)?Registration":)\d+~' => '$1',
            // Counted after the answer: the next request may come first.
            '~("wgUserEditCount":)\d+~' => '$1',
            // Which files its styles were made of is noted after the answer, too, and counts from then on.
            '~("skins\.vector\.styles\.legacy",")[0-9a-z]{5}~' => '$1',
            '~\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ~' => 'MOMENT',
            '~\b\d\d?(:|%3A)\d\d((:|%3A)\d\d)?\b~' => 'TIME',
            // Minutes since midnight.
            '~(value=\\\\?")\d+(\\\\?" name=\\\\?"wpServerTime)~' => '$1$2',
            '~"wg(RequestId|BackendResponseTime)":[^,]*~' => '"wg$1":0',
            '~\b[0-9a-f]{24}\b~' => 'REQUEST',
            '~(wpEditToken|reqId|requestId)("?[:=] ?")[^"]*~' => '$1$2TOKEN',
            '~<!--\s+NewPP limit report.*?-->~s' => '',
            '~<!-- Saved in parser cache.*?-->~s' => '',
            '~"wgPageParseReport":\{.*?\}\}\}?~s' => '',
            '~(\?|&(?:amp;)?|")version=[0-9a-z]+~' => '$1version=',
            '~("real|"cpu)time":[^,]*~' => '$1time":0',
        ];
    }

    private function settings(string $folder): string
    {
        return <<<PHP

            \$wgSecretKey = 'the same on both stacks';
            \$wgArticlePath = '/index.php/\$1';
            \$wgUsePathInfo = true;
            \$wgEnableUploads = true;
            \$wgUploadDirectory = '$folder/images';
            \$wgUploadPath = '/images';
            \$wgUseImageMagick = false;
            \$wgCacheDirectory = false;
            \$wgShellLocale = 'C.UTF-8';

            PHP;
    }
}
