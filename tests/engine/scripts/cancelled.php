<?php

// Waits for 10 s in the way that ?way= says; the runner ends the request before. ?file= is a file of its own.

declare(strict_types=1);

switch ($_GET['way']) {
    case 'flock':
        $other = fopen($_GET['file'], 'r');
        $child = proc_open(['flock', $_GET['file'], 'sleep', '10'], [], $pipes);
        usleep(50_000);
        flock($other, LOCK_EX);
        break;
    case 'proc_close':
        proc_close(proc_open(['sleep', '10'], [], $pipes));
        break;
    case 'exec':
        exec('sleep 10');
        break;
    case 'pclose':
        pclose(popen('exec 0<&-; sleep 10', 'w'));
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
        // The first request is ended while it waits for its child; the seventh looks whether anybody has taken its status.
        if ($_GET['n'] === '0') {
            proc_close(proc_open(['sleep', '0.4'], [], $pipes));
        }
        usleep(100_000);
        if ($_GET['n'] === '6') {
            $pid = getmypid();
            foreach (glob('/proc/[0-9]*/stat') as $file) {
                if (preg_match("/\) (\w) {$pid} /", (string) @file_get_contents($file), $found) === 1) {
                    exit("a child in state {$found[1]}");
                }
            }
            exit('no child');
        }
        break;
}
echo 'went on';
