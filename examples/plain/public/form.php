<?php

declare(strict_types=1);

require_once __DIR__ . '/../src/Page.php';

$name = is_string($_POST['name'] ?? null) ? trim($_POST['name']) : '';
$file = $_FILES['file'] ?? null;

Page::begin('Form');
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    echo '<p>Hello, ', Page::escape($name === '' ? 'whoever you are' : $name), ".</p>\n";
    if (is_array($file) && $file['error'] === UPLOAD_ERR_OK) {
        $hash = hash_file('sha256', $file['tmp_name']);
        echo '<p>', Page::escape($file['name']), " has {$file['size']} bytes, SHA-256 <code>{$hash}</code>.</p>\n";
    } elseif (is_array($file) && $file['error'] !== UPLOAD_ERR_NO_FILE) {
        echo "<p>The upload failed (PHP's error code {$file['error']}).</p>\n";
    }
}
?>
<form method="post" enctype="multipart/form-data">
  <p><label>Your name <input name="name" value="<?= Page::escape($name) ?>"></label></p>
  <p><label>A file <input type="file" name="file"></label></p>
  <p><button>Send</button></p>
</form>
<?php
Page::end();
