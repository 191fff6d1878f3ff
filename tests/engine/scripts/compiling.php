<?php

// ?n=1 compiles a file, and code that runs inside that compilation waits for what ?n=0 does when it goes on: each of them is
// parked in turn. ?kind= is what it waits for, ?in= where. Both compile other files meanwhile, each its own.

declare(strict_types=1);

require_once __DIR__ . '/Together.php';

final class Waits
{
    /** @var resource|null */
    public $context;
    private string $text = '';

    /** Waits for something that the other request has, until it lets it go. */
    public static function forNeighbour(): void
    {
        Together::reach('1 waits');
        match ($_GET['kind']) {
            'lock' => flock(fopen(Together::folder() . '/lock', 'c'), LOCK_EX),
            'socket' => fgets(stream_socket_client('unix://' . Together::folder() . '/socket')),
            'time' => Together::await('0 goes on'),
            'forever' => Together::await('never'),
        };
        self::includeOwn(1);
    }

    public static function includeOwn(int $n): void
    {
        $file = Together::script("own-{$n}.php", "return {$n};", true);
        if ((include $file) !== $n) {
            throw new RuntimeException('included what is not its own');
        }
    }

    public function stream_open(string $path, string $mode): bool
    {
        self::forNeighbour();
        $this->text = '<?php return "compiled";';

        return true;
    }

    public function stream_read(int $bytes): string
    {
        [$text, $this->text] = [$this->text, ''];

        return $text;
    }

    public function stream_eof(): bool
    {
        return $this->text === '';
    }

    /** @return array<string, int> */
    public function stream_stat(): array
    {
        return [];
    }

    public function stream_set_option(int $option, int $one, int $two): bool
    {
        return false;
    }
}

if ($_GET['n'] === '0') {
    $lock = fopen(Together::folder() . '/lock', 'c');
    flock($lock, LOCK_EX);
    $socket = stream_socket_server('unix://' . Together::folder() . '/socket');
    Together::reach('0 has it');
    Together::await('1 waits');
    usleep(5000);
    Waits::includeOwn(0);
    Together::reach('0 goes on');
    flock($lock, LOCK_UN);
    if ($_GET['kind'] === 'socket') {
        fwrite(stream_socket_accept($socket), "now\n");
    }
    echo 'compiled';
    return;
}
Together::await('0 has it');
// A deprecation, which the compiler tells of.
$code = 'function deprecated($first = 1, $second) { return "compiled"; } return deprecated(1, 2);';
$file = Together::script('deprecated.php', $code, false);
set_error_handler(static function (): bool {
    Waits::forNeighbour();

    return true;
}, E_DEPRECATED);
stream_wrapper_register('waits', Waits::class);
echo match ($_GET['in']) {
    'error handler' => include $file,
    'stream wrapper' => include 'waits://code',
    'opcache_compile_file' => opcache_compile_file($file) ? 'compiled' : 'refused',
};
