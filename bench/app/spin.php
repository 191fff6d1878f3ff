<?php

header('Content-Type: text/plain; charset=utf-8');
$until = hrtime(true) + (int) filter_var($_GET['spin_ms'] ?? 0, FILTER_VALIDATE_INT) * 1_000_000;
while (hrtime(true) < $until) {
}
echo "Hello, World!\n";
