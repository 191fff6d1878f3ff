<?php

/** Streams and filters whose ends are acts. Each stands on a file with a lock, where there is one. */

declare(strict_types=1);

namespace Howdah\HttpTests\Ends;

use php_user_filter;

abstract class Passes extends php_user_filter
{
    public function filter($in, $out, &$consumed, bool $closing): int
    {
        while ($bucket = stream_bucket_make_writeable($in)) {
            $consumed += $bucket->datalen;
            stream_bucket_append($out, $bucket);
        }

        return PSFS_PASS_ON;
    }
}

final class ActsWhenClosed extends Passes
{
    public function onClose(): void
    {
        Act::now();
    }
}

final class ActsWhenFlushed extends Passes
{
    public function filter($in, $out, &$consumed, bool $closing): int
    {
        if ($closing) {
            Act::now();
        }

        return parent::filter($in, $out, $consumed, $closing);
    }
}

/** Opens another one when it is closed. */
final class OpensWhenClosed extends Passes
{
    public function onClose(): void
    {
        $GLOBALS['late'][] = filtered('acts.closed');
        Act::now();
    }
}

class Wrapper
{
    /** @var resource */
    public $context;

    private string $acts;
    /** The compiler bails out of it. */
    private string $source = '<?php class Broken { abstract function f(); }';

    public function stream_open(string $path): bool
    {
        $this->acts = (string) parse_url($path, PHP_URL_HOST);

        return true;
    }

    public function dir_opendir(string $path): bool
    {
        return $this->stream_open($path);
    }

    public function stream_read(int $count): string
    {
        $source = substr($this->source, 0, $count);
        $this->source = substr($this->source, $count);

        return $source;
    }

    public function stream_eof(): bool
    {
        return $this->source === '';
    }

    public function stream_write(string $data): int
    {
        return strlen($data);
    }

    /** @return array<string, int> */
    public function stream_stat(): array
    {
        return ['size' => strlen($this->source)];
    }

    public function stream_set_option(): bool
    {
        return false;
    }

    public function stream_flush(): bool
    {
        $this->act('flushed');

        return true;
    }

    public function stream_close(): void
    {
        $this->act('closed');
    }

    public function dir_closedir(): void
    {
        $this->act('closed');
    }

    private function act(string $now): void
    {
        if ($this->acts === $now) {
            Act::now();
        }
    }
}

/** @return resource with a lock, so that somebody notices when it stays open */
function locked()
{
    static $count = 0;
    $file = fopen(Act::$folder . '/lock-' . Act::$name . '-' . ++$count, 'w+');
    flock($file, LOCK_EX);

    return $file;
}

/** @return resource */
function filtered(string ...$filters)
{
    $file = locked();
    foreach ($filters as $filter) {
        stream_filter_append($file, $filter, STREAM_FILTER_WRITE);
    }
    fwrite($file, 'text');

    return $file;
}

function register_streams(): void
{
    stream_filter_register('acts.closed', ActsWhenClosed::class);
    stream_filter_register('acts.flushed', ActsWhenFlushed::class);
    stream_filter_register('acts.opens', OpensWhenClosed::class);
    if (!in_array('acts', stream_get_wrappers(), true)) {
        stream_wrapper_register('acts', Wrapper::class);
    }
}
