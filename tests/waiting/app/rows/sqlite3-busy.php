<?php

/** ext/sqlite3: a write while another process writes. Limit: busyTimeout(). */

declare(strict_types=1);

use Howdah\WaitingTests\App\Holder;
use Howdah\WaitingTests\App\Row;

return new class implements Row {
    public function wait(float $seconds): mixed
    {
        return $this->write($seconds, 30);
    }

    public function limit(float $seconds): mixed
    {
        return $this->write(5, $seconds);
    }

    private function write(float $seconds, float $limit): mixed
    {
        $file = Holder::file();
        $holder = Holder::hold('sqlite', $file, $seconds);
        $database = new SQLite3($file);
        $database->busyTimeout((int) ($limit * 1000));
        $written = $database->exec("INSERT INTO held VALUES ('row')");
        $error = [$database->lastErrorCode(), $database->lastErrorMsg()];

        return [$written, $error, $written ? $database->querySingle('SELECT count(*) FROM held') : null, fclose($holder)];
    }
};
