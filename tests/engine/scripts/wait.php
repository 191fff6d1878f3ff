<?php

// Waits for 100 ms in the way that ?way= says.

declare(strict_types=1);

$way = $_GET['way'];
$start = hrtime(true);
switch ($way) {
    case 'usleep':
        usleep(100_000);
        break;
    case 'nanosleep':
        time_nanosleep(0, 100_000_000);
        break;
    case 'sleep':
        sleep(1);
        break;
    case 'select':
        [$one, $two] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $read = [$one];
        $write = $except = null;
        $found = stream_select($read, $write, $except, 0, 100_000);
        if ($found !== 0) {
            exit("select found {$found}");
        }
        break;
    case 'poll':
        [$one, $two] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        stream_set_timeout($one, 0, 100_000);
        $got = fread($one, 10);
        if ((string) $got !== '' || !stream_get_meta_data($one)['timed_out']) {
            exit('the read did not time out');
        }
        break;
    case 'flock':
        // Whoever has it sleeps: all of them one after another.
        $file = fopen(__FILE__, 'r');
        flock($file, LOCK_EX);
        usleep(5000);
        flock($file, LOCK_UN);
        break;
    case 'bad':
        try {
            time_nanosleep(0, -1);
        } catch (ValueError $error) {
            exit('refused');
        }
        break;
    case 'compute':
        // The first request computes for half a second, the others for nothing.
        for ($until = hrtime(true) + 500_000_000; $_GET['n'] === '0' && hrtime(true) < $until;) {
        }
        exit("{$_GET['n']} ");
    case 'spin':
        set_time_limit(1);
        for ($i = 0;; ++$i) {
            $i ^= 1;
        }
}
echo 'done';
