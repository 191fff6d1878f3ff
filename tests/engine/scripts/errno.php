<?php

// A read that fails shows a notice before PHP looks at errno: EBADF does not end the stream, anything else does.

declare(strict_types=1);

file_exists('/what another request asks for meanwhile'); // ENOENT

$path = tempnam(sys_get_temp_dir(), 'howdah');
$file = $path === false ? false : fopen($path, 'w');
if ($file === false) {
    exit('no temporary file');
}
unlink($path);
set_error_handler(static function (): bool {
    usleep(1000);

    return true;
});
fgetc($file);
echo feof($file) ? 'not EBADF' : 'done';
