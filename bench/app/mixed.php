<?php

// One request in a hundred computes for half a second of processor time, whoever else computes meanwhile.
if (mt_rand(1, 100) === 1) {
    for ($i = 0, $rounds = (int) filter_var($_GET['rounds'] ?? 0, FILTER_VALIDATE_INT), $sum = 0; $i < $rounds; ++$i) {
        $sum = ($sum * 31 + $i) % 1_000_003;
    }
}
header('Content-Type: text/plain; charset=utf-8');
echo "Hello, World!\n";
