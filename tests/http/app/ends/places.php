<?php

/** Where a request may end before its end: each callback that PHP calls there. Named in EndOfRequestTest. */

declare(strict_types=1);

namespace Howdah\HttpTests\Ends;

use Fiber;
use SessionHandler;
use SplFileObject;

final class Destroyed
{
    public function __destruct()
    {
        Act::now();
    }
}

/** @param mixed ...$things which nothing but the script's end frees */
function keep(mixed ...$things): void
{
    $GLOBALS['kept'] = [...$GLOBALS['kept'] ?? [], ...$things];
}

function shutdown_function(): void
{
    keep(locked());
    register_shutdown_function(Act::now(...));
}

function destructors(): void
{
    keep(locked(), new Destroyed(), new Destroyed());
}

function output_handler(): void
{
    keep(locked());
    ob_start(static function (string $text): string {
        Act::now();

        return $text;
    });
    echo 'more';
}

function header_callback(): void
{
    keep(locked());
    header_register_callback(Act::now(...));
}

final class Session extends SessionHandler
{
    public function __construct(private string $acts)
    {
    }

    public function write(string $id, string $data): bool
    {
        if ($this->acts === 'write') {
            Act::now();
        }

        return parent::write($id, $data);
    }

    public function close(): bool
    {
        if ($this->acts === 'close') {
            Act::now();
        }

        return parent::close();
    }
}

final class Slept
{
    /** @return list<string> */
    public function __sleep(): array
    {
        Act::now();

        return [];
    }
}

function start_session(?string $acts): void
{
    session_save_path(Act::$folder);
    session_id(bin2hex(random_bytes(8)));
    if ($acts !== null) {
        session_set_save_handler(new Session($acts), false);
    }
    session_start();
    $_SESSION['x'] = 1;
}

function session_write(): void
{
    start_session('write');
}

function session_close(): void
{
    start_session('close');
}

function session_value(): void
{
    start_session(null);
    $_SESSION['slept'] = new Slept();
}

function two_filters_closed(): void
{
    register_streams();
    keep(filtered('acts.closed'), filtered('acts.closed'));
}

function two_filters_of_one_stream_closed(): void
{
    register_streams();
    keep(filtered('acts.closed', 'acts.closed'));
}

function two_filters_flushed(): void
{
    register_streams();
    keep(filtered('acts.flushed', 'acts.closed'), filtered('acts.flushed'));
}

function a_filter_that_opens_another_stream(): void
{
    register_streams();
    keep(filtered('acts.opens'), filtered('acts.opens'));
}

function two_wrappers_closed(): void
{
    register_streams();
    keep(fopen('acts://closed', 'r'), fopen('acts://closed', 'r'), locked());
}

function two_wrappers_flushed(): void
{
    register_streams();
    foreach ([1, 2] as $ignored) {
        $stream = fopen('acts://flushed', 'w');
        stream_set_write_buffer($stream, 0);
        fwrite($stream, 'text');
        keep($stream, locked());
    }
}

function two_folders_closed(): void
{
    register_streams();
    keep(opendir('acts://closed'), opendir('acts://closed'));
}

/** The compiler bails out: the file is not closed until the end. */
function an_included_file_closed(): void
{
    register_streams();
    keep(locked());
    stream_wrapper_unregister('file');
    stream_wrapper_register('file', IncludedWrapper::class);
    include Act::$folder . '/included.php';
}

final class IncludedWrapper extends Wrapper
{
    public function stream_open(string $path): bool
    {
        stream_wrapper_restore('file');

        return parent::stream_open('acts://closed');
    }
}

/** A stream within another one. */
function a_filtered_temporary_stream(): void
{
    register_streams();
    foreach ([1, 2] as $ignored) {
        $stream = fopen('php://temp/maxmemory:1', 'w+');
        stream_filter_append($stream, 'acts.flushed', STREAM_FILTER_WRITE);
        fwrite($stream, str_repeat('text', 1000));
        keep($stream);
    }
}

function a_filtered_compressed_file(): void
{
    register_streams();
    foreach ([1, 2] as $number) {
        $stream = fopen('compress.zlib://' . Act::$folder . '/compressed-' . Act::$name . $number, 'w');
        stream_filter_append($stream, 'acts.flushed', STREAM_FILTER_WRITE);
        fwrite($stream, 'text');
        keep($stream);
    }
}

function filtered_file_objects(): void
{
    register_streams();
    foreach ([1, 2] as $number) {
        $file = Act::$folder . '/object-' . Act::$name . $number;
        $object = new SplFileObject("php://filter/write=acts.closed/resource=$file", 'w');
        $object->fwrite('text');
        keep($object, locked());
    }
}

/** Its object was born after all destructors have run. */
function a_late_object_in_a_context(): void
{
    register_streams();
    foreach ([1, 2] as $ignored) {
        $context = stream_context_create();
        keep(new class ($context) {
            /** @param resource $context */
            public function __construct(private $context)
            {
            }

            public function __destruct()
            {
                stream_context_set_option($this->context, 'x', 'late', new Destroyed());
            }
        });
        keep(fopen('data:,text', 'r', false, $context), locked());
    }
}

function a_suspended_fiber(): void
{
    $fiber = new Fiber(static function (): void {
        try {
            Fiber::suspend();
        } finally {
            Act::now();
        }
    });
    $fiber->start();
    keep($fiber, locked());
}

function a_suspended_generator(): void
{
    $generator = (static function () {
        try {
            yield 1;
        } finally {
            Act::now();
        }
    })();
    $generator->current();
    keep($generator, locked());
}

/** What its calls need has ended already. */
function late_calls(): void
{
    register_streams();
    stream_filter_register('late', CallsLate::class);
    putenv('EARLY=1');
    keep(filtered('late'), filtered('late'));
}

final class CallsLate extends Passes
{
    public function onClose(): void
    {
        putenv('LATE=1');
        register_tick_function(static fn () => print 'late');
        register_shutdown_function(static fn () => print 'late');
        header_register_callback(static fn () => print 'late');
        stream_filter_register('later', ActsWhenClosed::class);
        output_add_rewrite_var('name', 'late');
        ob_start(static fn (string $text): string => $text);
        echo 'late';
        Act::now();
    }
}

/** An error handler, called by what closes a stream. */
function an_error_handler(): void
{
    register_streams();
    stream_filter_register('warns', Warns::class);
    set_error_handler(static function (): bool {
        Act::now();

        return true;
    });
    keep(filtered('warns'), filtered('warns'));
}

final class Warns extends Passes
{
    public function onClose(): void
    {
        trigger_error('a warning', E_USER_WARNING);
    }
}
