<?php

declare(strict_types=1);

return ['left' => new stdClass()];
