<?php

/** fcntl(F_SETLKW) in a library: QDBM, which locks its files, through FFI. It has no time limit. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        $library = FFI::cdef('
            typedef struct DEPOT DEPOT;
            DEPOT *dpopen(const char *name, int mode, int buckets);
            int dpput(DEPOT *depot, const char *key, int key_size, const char *value, int value_size, int mode);
            int dprnum(DEPOT *depot);
            int dpclose(DEPOT *depot);
        ', 'libqdbm.so.14');
        $file = Holder::file();
        $holder = Holder::hold('fcntl', $file, $seconds);
        $depot = $library->dpopen($file, 2 | 4, -1); // DP_OWRITER | DP_OCREAT
        if ($depot === null) {
            throw new RuntimeException("QDBM does not open $file");
        }
        $put = $library->dpput($depot, 'key', -1, 'value', -1, 0);

        return [$put, $library->dprnum($depot), $library->dpclose($depot), fclose($holder)];
    }
};
