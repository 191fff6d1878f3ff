<?php

header('Content-Type: text/plain; charset=utf-8');
echo str_repeat('0123456789abcdef', 64 * (is_string($_GET['kb'] ?? null) ? (int) $_GET['kb'] : 1));
