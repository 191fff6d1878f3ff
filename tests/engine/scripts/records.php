<?php

// Record locks of neighbours, and another process that tries to get what they hold. ?case=, ?n= is the request's number.

declare(strict_types=1);

final class Files
{
    public readonly string $folder;
    public readonly string $database;

    public function __construct()
    {
        $this->folder = (string) $_SERVER['HTTP_X_FOLDER'];
        $this->database = "{$this->folder}/data.db";
    }

    public function tell(string $what): void
    {
        touch("{$this->folder}/{$what}");
    }

    public function await(string $what): void
    {
        for ($tries = 0; !file_exists("{$this->folder}/{$what}"); ++$tries) {
            if ($tries > 10_000) {
                throw new RuntimeException("nobody told: {$what}");
            }
            usleep(1000);
            clearstatcache();
        }
    }

    /** What a process of its own is answered, at once. */
    public function elsewhere(string $code): string
    {
        return trim((string) shell_exec(escapeshellarg((string) $_SERVER['HTTP_X_PHP']) . ' -r ' . escapeshellarg($code)));
    }

    public function sqlite(string $sql): string
    {
        return $this->elsewhere(<<<PHP
            try {
                \$file = new PDO('sqlite:{$this->database}', options: [PDO::ATTR_TIMEOUT => 0]);
                echo \$file->query('{$sql}')?->fetchColumn();
            } catch (PDOException \$error) {
                echo \$error->errorInfo[2];
            }
            PHP);
    }

    /** The lock that the other process is told of: type, start, length. */
    public function locked(string $path): string
    {
        return $this->elsewhere(<<<PHP
            \$c = FFI::cdef('int open(const char *, int, ...); int fcntl(int, int, ...);
                struct flock { short type, whence; long start, len; int pid; };');
            \$lock = \$c->new('struct flock');
            \$lock->type = 1;
            \$c->fcntl(\$c->open('{$path}', 2), 5, FFI::addr(\$lock));
            echo \$lock->type, ' ', \$lock->start, ' ', \$lock->len;
            PHP);
    }

    /** How many descriptors of this process are of the database. */
    public function open(): int
    {
        $paths = array_map(static fn (string $link): string => (string) @readlink($link), glob('/proc/self/fd/*') ?: []);

        return count(array_filter($paths, fn (string $path): bool => str_starts_with($path, $this->database)));
    }

    /** All that PHP and its libraries do with a file, but lock it. One of them may be locked by somebody for himself alone. */
    public function read(string $exclusive): void
    {
        foreach (glob("{$this->database}*") ?: [] as $file) {
            file_get_contents($file);
            md5_file($file);
            copy($file, "{$this->folder}/copy");
            foreach (new SplFileObject($file, 'r+') as $line) {
                break;
            }
            if (filesize($file) > 0) {
                check(calls()->close_in_every_way($file, $file === $exclusive));
            }
        }
    }
}

function calls(): FFI
{
    return FFI::cdef('
        const char *close_in_every_way(const char *path, bool exclusive);
        const char *count_in(const char *path, int times);
        const char *hold(const char *path, bool exclusive, int *fd);
        const char *ask(const char *path, bool exclusive);
    ', (string) $_SERVER['HTTP_X_LIBRARY']);
}

function check(?string $wrong): void
{
    if ($wrong !== null) {
        throw new RuntimeException($wrong);
    }
}

function same(mixed $wanted, mixed $is, string $what): void
{
    if ($wanted !== $is) {
        throw new RuntimeException("{$what}: " . json_encode($is) . ', not ' . json_encode($wanted));
    }
}

/** A transaction, and a neighbour who reads the file meanwhile. */
function transaction(Files $files, string $journal): void
{
    if ($_GET['n'] === '1') {
        $sqlite = new PDO("sqlite:{$files->database}");
        $sqlite->exec("pragma journal_mode={$journal}; create table t (x); insert into t values (1)");
        $sqlite->exec('begin immediate; insert into t values (2)');
        $files->tell('begun');
        $files->await('read');
        $sqlite->exec('commit');
        $before = $files->open();
        $files->tell('committed');
        $files->await('read again');
        same($before, $files->open(), 'descriptors');
        // A connection that is open keeps its log, whoever reads the files.
        $alone = $journal === 'wal' ? 'database is locked' : 'delete';
        same($alone, $files->sqlite('pragma journal_mode=delete'), 'the journal');
        return;
    }
    $files->await('begun');
    $files->read($files->database . ($journal === 'wal' ? '-shm' : ''));
    $most = $files->open() + 1;
    for ($times = 0; $times < 50; ++$times) {
        same(file_get_contents($files->database, length: 15), 'SQLite format 3', 'what is read');
    }
    same(true, $files->open() <= $most, 'descriptors of who reads again and again');
    same('database is locked', $files->sqlite('begin immediate'), 'in the transaction');
    $files->tell('read');
    $files->await('committed');
    $files->read('');
    same('', $files->sqlite('begin immediate'), 'after it');
    same('ok', $files->sqlite('pragma integrity_check'), 'the file');
    same('2', $files->sqlite('select count(*) from t'), 'the rows');
    $files->tell('read again');
}

/** What C code has locked: each realm for itself, and another process sees it. */
function held(Files $files, bool $exclusive): void
{
    $path = "{$files->folder}/held";
    if ($_GET['n'] === '1') {
        file_put_contents($path, str_repeat('x', 100));
        $fd = FFI::new('int');
        check(calls()->hold($path, $exclusive, FFI::addr($fd)));
        $files->tell('begun');
        $files->await('read');
        same(($exclusive ? 1 : 0) . ' 10 20', $files->locked($path), 'the lock');
        check(FFI::cdef('int close(int);', (string) $_SERVER['HTTP_X_LIBRARY'])->close($fd->cdata) === 0 ? null : 'close');
        return;
    }
    $files->await('begun');
    check(calls()->ask($path, $exclusive));
    file_get_contents($path);
    check(calls()->close_in_every_way($path, $exclusive));
    $files->tell('read');
}

/** QDBM, which locks its files so. */
function qdbm(string $path, int $times): void
{
    $qdbm = FFI::cdef('
        typedef struct DEPOT DEPOT;
        DEPOT *dpopen(const char *name, int mode, int buckets);
        int dpput(DEPOT *depot, const char *key, int key_size, const char *value, int value_size, int mode);
        int dpgetwb(DEPOT *depot, const char *key, int key_size, int start, int most, char *value);
        int dpclose(DEPOT *depot);
    ', 'libqdbm.so.14');
    $value = FFI::new('char[20]');
    for ($i = 0; $i < $times; ++$i) {
        $depot = $qdbm->dpopen($path, 2 | 4, -1); // DP_OWRITER | DP_OCREAT
        if ($depot === null) {
            throw new RuntimeException("QDBM does not open {$path}");
        }
        $len = $qdbm->dpgetwb($depot, 'n', 1, 0, 20, $value);
        $number = (string) (1 + ($len > 0 ? (int) FFI::string($value, $len) : 0));
        usleep(500);
        same(1, $qdbm->dpput($depot, 'n', 1, $number, strlen($number), 0), 'dpput');
        same(1, $qdbm->dpclose($depot), 'dpclose');
    }
}

$files = new Files();
try {
    match ($_GET['case']) {
        'delete', 'truncate', 'wal' => transaction($files, $_GET['case']),
        'exclusive', 'shared' => held($files, $_GET['case'] === 'exclusive'),
        'count' => check(calls()->count_in("{$files->folder}/count", 10)),
        'qdbm' => qdbm("{$files->folder}/qdbm", 10),
    };
    echo 'done';
} catch (Throwable $error) {
    echo $error->getMessage(), ' at line ', $error->getLine();
    $files->tell('read');
    $files->tell('begun');
    $files->tell('committed');
    $files->tell('read again');
}
