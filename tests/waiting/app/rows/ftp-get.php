<?php

/** ext/ftp: a file, from a server that answers a command late. Limit: FTP_TIMEOUT_SEC. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;
use Howdah\WaitingTests\App\Settings;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->get(30, $seconds);
    }

    public function limit(float $seconds): mixed
    {
        return $this->get((int) ceil($seconds), 5);
    }

    /** @return array<mixed> */
    private function get(int $limit, float $seconds): array
    {
        ['host' => $host, 'slow' => $port] = Settings::of('Ftp');
        $ftp = ftp_connect($host, (int) $port, $limit) ?: throw new RuntimeException('no server');
        $told = [ftp_login($ftp, 'anonymous', 'x'), ftp_pasv($ftp, true), ftp_nlist($ftp, '.')];
        $told[] = ftp_size($ftp, "wait:$seconds:none");
        $memory = fopen('php://memory', 'w+') ?: throw new RuntimeException('no memory');
        $told[] = ftp_fget($ftp, $memory, 'letter.txt');
        rewind($memory);

        return [...$told, stream_get_contents($memory)];
    }
};
