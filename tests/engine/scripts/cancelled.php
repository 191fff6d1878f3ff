<?php

// Waits in the way that ?way= says until the runner ends the request. ?file= is a file of its own.

declare(strict_types=1);

// A child that lives until the runner has ended, and no longer: nobody may wait for one that is left.
$child = ['tail', '--sleep-interval=0.02', '--pid=' . getmypid(), '--follow', $_GET['file']];
switch ($_GET['way']) {
    case 'flock':
        $other = fopen($_GET['file'], 'r');
        $holder = proc_open(['flock', $_GET['file'], ...$child], [], $pipes);
        while (flock($other, LOCK_EX | LOCK_NB)) {
            flock($other, LOCK_UN);
            usleep(1000);
        }
        flock($other, LOCK_EX);
        break;
    case 'proc_close':
        proc_close(proc_open($child, [], $pipes));
        break;
    case 'exec':
        exec(implode(' ', $child));
        break;
    case 'pclose':
        pclose(popen('exec 0<&-; ' . implode(' ', $child), 'w'));
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
