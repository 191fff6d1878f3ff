<?php

/** Names, users and numbers that the machine's own files answer, through every function that looks them up: no server is asked. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        $listening = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr((string) stream_socket_get_name($listening, false), strlen('127.0.0.1:'));
        $connected = fsockopen('localhost', $port, $code, $message, 60);

        return [
            'gethostbyname' => gethostbyname('localhost'),
            'gethostbynamel' => gethostbynamel('localhost'),
            'gethostbyaddr' => gethostbyaddr('127.0.0.1'),
            'fsockopen' => [is_resource($connected), $message],
            'socket_addrinfo_lookup' => count(socket_addrinfo_lookup('localhost', '80', ['ai_family' => AF_INET])),
            'short' => gethostbyname('127.1'),
            'posix_getpwnam' => posix_getpwnam('root'),
            'posix_getpwuid' => posix_getpwuid(0),
            'posix_getgrnam' => posix_getgrnam('root'),
            'posix_getgrgid' => posix_getgrgid(0),
            'getservbyname' => getservbyname('http', 'tcp'),
            'getservbyport' => getservbyport(80, 'tcp'),
            'getprotobyname' => getprotobyname('tcp'),
            'getprotobynumber' => getprotobynumber(6),
        ];
    }

    public function limit(float $seconds): mixed
    {
        return null;
    }
};
