<?php

/** What a setting of the server is, one that was given behind it, and one that Howdah itself sets behind both. */

declare(strict_types=1);

echo json_encode([
    'value' => ini_get('session.save_path'),
    'behind' => ini_get('precision'),
    'own' => ini_get('register_argc_argv'),
]);
