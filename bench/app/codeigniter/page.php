<?php

/* The view of Bench.php. */

foreach ($lists as $name => $items) {
    echo '<h1>', esc($name), "</h1>\n<ul>\n";
    foreach ($items as $item) {
        echo '<li>', esc($item), "</li>\n";
    }
    echo "</ul>\n";
}
