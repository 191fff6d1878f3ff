<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Certificate;
use Howdah\WaitingTests\Port;
use RuntimeException;

/** Dovecot with one user and three letters, IMAP with and without TLS, and a slow way to it: what has `wait:SECONDS:` in it. */
final class Imap extends Proxied
{
    private readonly int $tls;

    public function __construct()
    {
        parent::__construct('dovecot');
        $this->tls = Server::freePort();
    }

    protected function launch(): void
    {
        $folder = $this->daemon->folder;
        Certificate::write($folder);
        $user = posix_getpwnam('nobody');
        if (posix_geteuid() !== 0 || $user === false) {
            $user = posix_getpwuid(posix_geteuid()) ?: throw new RuntimeException('the user has no name');
        }
        $this->deliver("$folder/mail", $user['uid']);
        file_put_contents("$folder/users", "ada:{PLAIN}engine:{$user['uid']}:{$user['gid']}::$folder/mail\n");
        file_put_contents("$folder/dovecot.conf", <<<CONF
            base_dir = $folder/run
            state_dir = $folder/state
            log_path = /dev/stderr
            protocols = imap
            listen = 127.0.0.1
            default_internal_user = {$user['name']}
            default_login_user = {$user['name']}
            first_valid_uid = 0
            ssl = yes
            ssl_cert = <$folder/server.crt
            ssl_key = <$folder/server.key
            disable_plaintext_auth = no
            mail_location = maildir:$folder/mail
            service imap-login {
              chroot =
              inet_listener imap {
                port = {$this->port}
              }
              inet_listener imaps {
                port = {$this->tls}
                ssl = yes
              }
            }
            service anvil {
              chroot =
            }
            passdb {
              driver = passwd-file
              args = $folder/users
            }
            userdb {
              driver = passwd-file
              args = $folder/users
            }
            CONF . "\n");
        $this->daemon->start(['dovecot', '-F', '-c', "$folder/dovecot.conf"], fn (): bool => Port::answers($this->tls));
    }

    public function settings(): array
    {
        return parent::settings() + ['tls' => (string) $this->tls];
    }

    /** A mailbox with three letters, in the form of Maildir. */
    private function deliver(string $folder, int $owner): void
    {
        foreach ([$folder, "$folder/cur", "$folder/new", "$folder/tmp"] as $name) {
            mkdir($name);
            chown($name, $owner);
        }
        foreach (['one', 'two', 'three'] as $number => $subject) {
            $lines = [
                'From: ada@example.org',
                'To: bob@example.org',
                "Subject: $subject",
                'Date: Mon, 01 Jan 2024 10:00:00 +0000',
                "Message-ID: <$number@example.org>",
                '',
                "Body $subject",
                '',
            ];
            file_put_contents("$folder/new/170410000$number.M1P1.host", implode("\r\n", $lines));
            chown("$folder/new/170410000$number.M1P1.host", $owner);
        }
    }
}
