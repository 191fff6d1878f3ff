<?php

declare(strict_types=1);

exit(3);
