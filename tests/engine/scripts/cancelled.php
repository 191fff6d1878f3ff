<?php

// Waits for 60 s in the way that ?way= says; the runner ends the request before. ?file= is a file of its own.

declare(strict_types=1);

switch ($_GET['way']) {
    case 'flock':
        $other = fopen($_GET['file'], 'r');
        $child = proc_open(['flock', $_GET['file'], 'sleep', '60'], [], $pipes);
        while (flock($other, LOCK_EX | LOCK_NB)) {
            flock($other, LOCK_UN);
            usleep(1000);
        }
        flock($other, LOCK_EX);
        break;
    case 'proc_close':
        proc_close(proc_open(['sleep', '60'], [], $pipes));
        break;
    case 'exec':
        exec('sleep 60');
        break;
    case 'pclose':
        pclose(popen('exec 0<&-; sleep 60', 'w'));
        break;
    case 'msg':
        msg_receive(msg_get_queue(ftok($_GET['file'], 'm')), 1, $type, 100, $message);
        break;
    case 'read':
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        fread($pair[0], 10);
        break;
    case 'resolve':
        FFI::cdef('const char *run(const char *name);', $_SERVER['HTTP_X_LIBRARY'])->run('query_silent');
        break;
    case 'zombie':
        // The first request is ended while it waits for its child; the others let that end, and look whether anybody takes
        // its status. Each of them may be ended, too.
        if ($_GET['n'] === '0') {
            proc_close(proc_open(['sh', '-c', "while ! test -s {$_GET['file']}; do sleep 0.02; done"], [], $pipes));
        }
        file_put_contents($_GET['file'], 'end');
        $pid = getmypid();
        do {
            usleep(20_000);
            $children = preg_grep("/\) \w {$pid} /", array_map(
                static fn (string $file): string => (string) @file_get_contents($file),
                glob('/proc/[0-9]*/stat') ?: [],
            ));
        } while ($children !== []);
        exit('no child');
}
echo 'went on';
