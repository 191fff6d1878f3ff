<?php

header('Content-Type: text/plain; charset=utf-8');
$input = fopen('php://input', 'r');
for ($bytes = 0; $input !== false && !feof($input); $bytes += strlen((string) fread($input, 65536))) {
}
echo "$bytes\n";
