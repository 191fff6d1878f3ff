<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

/** Where Debian has it, pages in files; a script before each other one says where the settings are. */
final class DokuWiki implements Application
{
    private const FILES = '/usr/share/dokuwiki';
    private const DATA = '/var/lib/dokuwiki/data';

    public const PASSWORD = 'a password of the wiki';

    /** How many users beside the keeper. */
    public const USERS = 4;

    public function host(): string
    {
        return 'dokuwiki.test';
    }

    public function prepare(Stack $stack): void
    {
        $folder = $stack->makeFolder('dokuwiki');
        mkdir("$folder/conf");
        Stack::run('cp', '-a', self::DATA, "$folder/data");
        file_put_contents("$folder/prepend.php", "<?php\ndefine('DOKU_CONF', '$folder/conf/');\n");
        file_put_contents("$folder/conf/local.php", <<<PHP
            <?php
            \$conf['title'] = 'Wiki of files';
            \$conf['savedir'] = '$folder/data';
            \$conf['useacl'] = 1;
            \$conf['superuser'] = '@admin';
            \$conf['userewrite'] = 2;
            \$conf['useslash'] = 1;
            \$conf['updatecheck'] = 0;
            \$conf['securecookie'] = 0;
            \$conf['disableactions'] = 'register';

            PHP);
        file_put_contents("$folder/conf/acl.auth.php", "*\t@ALL\t1\n*\t@user\t8\n");
        $users = self::user('keeper', self::PASSWORD, 'admin,user');
        for ($number = 1; $number <= self::USERS; $number++) {
            $users .= self::user("user$number", "secret of user $number", 'user');
        }
        file_put_contents("$folder/conf/users.auth.php", $users);
        $stack->give($folder);
    }

    public function server(Stack $stack): string
    {
        $files = self::FILES;
        $php = $stack->pass(settings: ['auto_prepend_file' => "$stack->folder/dokuwiki/prepend.php"]);

        return <<<NGINX
                root $files;
                index doku.php;
                location / { try_files \$uri \$uri/ @page; }
                location @page { rewrite ^/(.*) /doku.php?id=\$1&\$args last; }
                location ~ ^/(?:bin|conf|data|inc|vendor)/ { return 404; }
                location ~ \.php(/|\$) {
            $php
                }

            NGINX;
    }

    public function changing(): array
    {
        return [
            '~\b[0-9a-f]{32,40}\b~' => 'TOKEN',
            '~\b\d{10}\b~' => 'SECONDS',
            '~\b\d{4}[-/\\\\]+\d\d[-/\\\\]+\d\d[T ]\d\d:\d\d(:\d\d)?([+-]\d\d:?\d\d)?~' => 'MOMENT',
            '~\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d~' => 'MOMENT',
            '~\d+ (second|minute)s? ago~' => 'AGO',
            '~(tseed=|tok=)[0-9a-f]+~' => '$1',
        ];
    }

    private static function user(string $name, string $password, string $groups): string
    {
        return "$name:" . password_hash($password, PASSWORD_BCRYPT, ['cost' => 4]) . ":The $name:$name@dokuwiki.test:$groups\n";
    }
}
