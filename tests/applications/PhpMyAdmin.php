<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

/** Where Debian has it, with Debian's settings: its database is on PHP's default socket. */
final class PhpMyAdmin implements Application
{
    private const FILES = '/usr/share/phpmyadmin';

    /** How many databases with a user of their own. */
    public const USERS = 4;

    public function host(): string
    {
        return 'phpmyadmin.test';
    }

    public function prepare(Stack $stack): void
    {
        for ($number = 1; $number <= self::USERS; $number++) {
            $stack->query(
                "CREATE DATABASE box$number",
                "CREATE TABLE box$number.things (id INT PRIMARY KEY, name VARCHAR(40))",
                "INSERT INTO box$number.things VALUES (1, 'the thing of $number')",
                "CREATE USER user$number@localhost IDENTIFIED BY 'secret$number'",
                "GRANT ALL ON box$number.* TO user$number@localhost",
            );
        }
    }

    public function server(Stack $stack): string
    {
        $files = self::FILES;
        $php = $stack->pass(settings: ['mysqli.default_socket' => $stack->socket()]);

        return <<<NGINX
                root $files;
                index index.php;
                location ~ ^/(?:libraries|templates|setup/lib)/ { deny all; }
                location ~ \.php(/|\$) {
            $php
                }

            NGINX;
    }

    public function changing(): array
    {
        return [
            '~\b[0-9a-f]{32,64}\b~' => 'TOKEN',
            '~(token(?:":"|=|" value="))[^"&\\\\]+~' => '$1TOKEN',
            '~\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?~' => 'MOMENT',
            '~\w{3} \d\d?, \d{4} at \d\d:\d\d( [AP]M)?~' => 'MOMENT',
            '~\b\d\.\d{4} seconds?~' => 'SECONDS',
            '~(name="set_session" value=")\w+~' => '$1',
            '~\b[0-9a-f]{13}\b~' => 'ID',
            // Elements' numbers, by chance; and the time.
            '~(?<!\d)\d{6,10}(?!\d)~' => 'NUMBER',
            // The numbers of the database server.
            '~(font-monospace editable">)[^<]*~' => '$1',
            '~(Connection ID|thread[_ ]id)\D*\d+~i' => '$1',
            // Shown when a template is compiled: the first time, by whichever stack.
            '~<div class="alert alert-primary" role="alert"><img[^>]*> Since twig.*?</div>~s' => '',
            '~"errors":"(?:<div class=\\\\"alert alert-primary\\\\" [^>]*><img[^>]*> Since twig.*?<\\\\/div>)+",~s' => '',
            '~\s+~' => ' ',
            '~/tmp/howdah-mariadb-[0-9a-f]+~' => 'DATABASE',
        ];
    }
}
