<?php

declare(strict_types=1);

namespace Howdah\SessionTests\App;

use SessionHandler;

/** PHP's own handler, whatever it is, with what it keeps made unreadable. */
final class Wrapped extends SessionHandler
{
    public function read(string $id): string|false
    {
        $data = parent::read($id);
        usleep(100);

        return $data === false ? false : str_rot13($data);
    }

    public function write(string $id, string $data): bool
    {
        usleep(100);

        return parent::write($id, str_rot13($data));
    }
}
