<?php

header('Content-Type: text/event-stream');
header('X-Accel-Buffering: no');
for ($i = 0; $i < (is_string($_GET['events'] ?? null) ? (int) $_GET['events'] : 1); $i++) {
    echo "data: $i\n\n";
    if (ob_get_level() > 0) {
        ob_flush();
    }
    flush();
    usleep(200_000);
}
