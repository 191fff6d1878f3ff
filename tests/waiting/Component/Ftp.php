<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\WaitingTests\Port;

/** vsftpd with a file, for anonymous users, and a slow way to it: what has `wait:SECONDS:` in it takes so long. */
final class Ftp extends Proxied
{
    public function __construct()
    {
        parent::__construct('vsftpd');
    }

    protected function launch(): void
    {
        $folder = $this->daemon->folder;
        mkdir("$folder/files", 0555);
        mkdir("$folder/empty", 0555);
        file_put_contents("$folder/files/letter.txt", "one\ntwo\n");
        file_put_contents("$folder/vsftpd.conf", implode("\n", [
            'listen=YES',
            'background=NO',
            'listen_address=127.0.0.1',
            "listen_port={$this->port}",
            'anonymous_enable=YES',
            'no_anon_password=YES',
            'ftp_username=ftp',
            "anon_root=$folder/files",
            "secure_chroot_dir=$folder/empty",
            'seccomp_sandbox=NO',
            'run_as_launching_user=' . (posix_geteuid() === 0 ? 'NO' : 'YES'),
            '',
        ]));
        $this->daemon->start(['vsftpd', "$folder/vsftpd.conf"], fn (): bool => Port::answers($this->port));
    }
}
