<?php

declare(strict_types=1);

echo gnupg_tell("number {$_GET['n']}");
