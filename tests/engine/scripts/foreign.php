<?php

/** Tells whether librdkafka is in this process; with `load` it loads it, and lets it go again. */

declare(strict_types=1);

$name = 'librdkafka.so.1';

if (isset($_GET['load'])) {
    $library = FFI::cdef('int rd_kafka_version(void);', $name);
    $library->rd_kafka_version();
    unset($library);
}
echo str_contains((string) file_get_contents('/proc/self/maps'), "/$name") ? 'loaded' : 'gone';
