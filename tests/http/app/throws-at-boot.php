<?php

declare(strict_types=1);

throw new RuntimeException('thrown during boot');
