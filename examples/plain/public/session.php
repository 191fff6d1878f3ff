<?php

declare(strict_types=1);

require_once __DIR__ . '/../src/Page.php';

session_start();
$_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;

Page::begin('Session');
echo "<p>You have been here <strong>{$_SESSION['visits']}</strong> times.</p>\n";
Page::end();
