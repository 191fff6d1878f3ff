<?php

/** For EndTest: a session handler that waits, also when PHP writes the session at the end; how often it has been asked. */

declare(strict_types=1);

use Howdah\WaitingTests\App\Settings;
use Howdah\WaitingTests\App\WithoutLimit;

return new class extends WithoutLimit {
    public function wait(float $seconds): mixed
    {
        session_set_save_handler(new class ($seconds) extends SessionHandler {
            public function __construct(private readonly float $seconds)
            {
            }

            public function read(string $id): string|false
            {
                usleep((int) ($this->seconds * 300_000));

                return parent::read($id);
            }

            public function write(string $id, string $data): bool
            {
                usleep((int) ($this->seconds * 700_000));

                return parent::write($id, $data);
            }
        });
        session_save_path(Settings::folder());
        session_id('waiting' . PHP_SAPI);
        session_start(['use_cookies' => 0, 'cache_limiter' => '']);
        $_SESSION['asked'] = ($_SESSION['asked'] ?? 0) + 1;

        return $_SESSION['asked'];
    }
};
