<?php

declare(strict_types=1);

require_once __DIR__ . '/../src/Page.php';

$links = [
    'hello.php' => 'the shortest answer',
    'sleep.php?ms=500' => 'waits half a second; other requests run meanwhile',
    'session.php' => 'counts your visits in a session',
    'form.php' => 'a form and an upload',
    'info.php' => 'what PHP and Howdah tell about this request',
];

Page::begin('Plain PHP');
?>
<p>Single files, no framework, nothing that knows of Howdah: the same files run under php-fpm.</p>
<ul>
<?php foreach ($links as $href => $text) : ?>
  <li><a href="/<?= Page::escape($href) ?>"><?= Page::escape($href) ?></a>: <?= Page::escape($text) ?></li>
<?php endforeach ?>
</ul>
<?php
Page::end();
