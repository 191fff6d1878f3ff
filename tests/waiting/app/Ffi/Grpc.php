<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\App\Ffi;

use FFI;

/** gRPC's C core: a channel to a server that never greets. Its event engine has threads; PHP's thread polls in its queue. */
final class Grpc
{
    private const HEADER = '
        typedef struct { int64_t tv_sec; int32_t tv_nsec; int clock_type; } gpr_timespec;
        typedef struct { int type; int success; void *tag; } grpc_event;
        typedef struct grpc_channel grpc_channel;
        typedef struct grpc_completion_queue grpc_completion_queue;
        typedef struct grpc_channel_credentials grpc_channel_credentials;
        void grpc_init(void);
        void grpc_shutdown(void);
        grpc_channel_credentials *grpc_insecure_credentials_create(void);
        void grpc_channel_credentials_release(grpc_channel_credentials *credentials);
        grpc_channel *grpc_channel_create(const char *target, grpc_channel_credentials *credentials, const void *arguments);
        void grpc_channel_destroy(grpc_channel *channel);
        int grpc_channel_check_connectivity_state(grpc_channel *channel, int connect);
        void grpc_channel_watch_connectivity_state(grpc_channel *channel, int last, gpr_timespec deadline,
            grpc_completion_queue *queue, void *tag);
        grpc_completion_queue *grpc_completion_queue_create_for_next(void *reserved);
        grpc_event grpc_completion_queue_next(grpc_completion_queue *queue, gpr_timespec deadline, void *reserved);
        void grpc_completion_queue_shutdown(grpc_completion_queue *queue);
        void grpc_completion_queue_destroy(grpc_completion_queue *queue);
    ';

    private const IDLE = 0;
    private const CONNECTING = 1;

    /** GRPC_QUEUE_SHUTDOWN: the queue is empty and takes no more. */
    private const SHUTDOWN = 0;

    /** GPR_CLOCK_REALTIME */
    private const REALTIME = 1;

    private readonly FFI $library;
    private readonly FFI\CData $queue;
    private readonly FFI\CData $channel;

    public function __construct(string $target)
    {
        $this->library = FFI::cdef(self::HEADER, 'libgrpc.so.29');
        $this->library->grpc_init();
        $this->queue = $this->library->grpc_completion_queue_create_for_next(null);
        $credentials = $this->library->grpc_insecure_credentials_create();
        $this->channel = $this->library->grpc_channel_create($target, $credentials, null);
        $this->library->grpc_channel_credentials_release($credentials);
    }

    public function __destruct()
    {
        // Destroying the channel ends what is watched; the queue must be emptied.
        $this->library->grpc_channel_destroy($this->channel);
        $this->library->grpc_completion_queue_shutdown($this->queue);
        while ($this->library->grpc_completion_queue_next($this->queue, $this->moment(10), null)->type !== self::SHUTDOWN) {
        }
        $this->library->grpc_completion_queue_destroy($this->queue);
        $this->library->grpc_shutdown();
    }

    /** Begins to connect, and lets the queue tell when that leads anywhere, or after $seconds. */
    public function connect(float $seconds): bool
    {
        $before = $this->library->grpc_channel_check_connectivity_state($this->channel, 1);
        $this->library->grpc_channel_watch_connectivity_state(
            $this->channel,
            self::CONNECTING,
            $this->moment($seconds),
            $this->queue,
            null,
        );

        return $before === self::IDLE;
    }

    /** @return array{int, int} the type of the next event, and its success */
    public function next(float $limit): array
    {
        $event = $this->library->grpc_completion_queue_next($this->queue, $this->moment($limit), null);

        return [$event->type, $event->success];
    }

    private function moment(float $seconds): FFI\CData
    {
        $time = microtime(true) + $seconds;
        $moment = $this->library->new('gpr_timespec');
        $moment->tv_sec = (int) $time;
        $moment->tv_nsec = (int) (fmod($time, 1) * 1e9);
        $moment->clock_type = self::REALTIME;

        return $moment;
    }
}
