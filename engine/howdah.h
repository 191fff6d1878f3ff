/* Howdah's engine: the one public header.
 *
 * What it is for: a front-end (the nginx module, or the stand-alone runner) starts PHP once with howdah_engine_start(),
 * gives each worker process a loop with howdah_engine_attach(), makes pools of realms, and submits requests to them.
 * Nothing here is a Zend type: whoever includes this header needs no PHP header.
 *
 * Words: a *realm* is a whole private PHP state; a *pool* holds the realms of one application; a *coroutine* is a C stack that
 * belongs to a realm and can *park*; a *loop* tells when descriptors, timers and posted tasks are ready (docs/architecture.md).
 *
 * Threads: every function belongs to the thread that called howdah_engine_attach(), but for howdah_loop_post_from_thread().
 * Main stack: unless a comment says "may park", a function neither parks nor switches stacks. */
#ifndef HOWDAH_H
#define HOWDAH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HOWDAH_VERSION "0.1.0"

/* Bytes with a length; not zero-terminated unless said. data may be NULL where len is 0. */
typedef struct {
  const char *data;
  size_t len;
} howdah_str;

/* ---- The loop -------------------------------------------------------------------------------------------------------------
 * One interface, two drivers (engine/loop/epoll.c, nginx/loop.c), one contract suite (tests/contract). */

typedef struct howdah_loop howdah_loop;

/* The last three are poll(2)'s POLLRDHUP, POLLRDBAND and POLLWRBAND. */
enum {
  HOWDAH_READABLE = 1,
  HOWDAH_WRITABLE = 2,
  HOWDAH_PRIORITY = 4,
  HOWDAH_ERROR = 8,
  HOWDAH_HALF_CLOSED = 16,
  HOWDAH_READ_BAND = 32,
  HOWDAH_WRITE_BAND = 64
};

/* Interest in one descriptor, for one event: it fires at most once and is then inactive (start it again to wait again). Level:
 * a descriptor that is ready already fires at the loop's next turn. Several watches may be on one descriptor, each is told.
 * HOWDAH_ERROR is always watched. A watch may fire spuriously, unless it is sure: whoever waits looks again. The owner keeps
 * the memory. */
typedef struct howdah_watch howdah_watch;
struct howdah_watch {
  void (*ready)(howdah_watch *watch, unsigned events); /* set by the owner; called on the loop's main stack */
  void (*soon)(void *data); /* the owner's, or NULL: ready() is likely to be called next; for prefetching */
  void *data;               /* the owner's */
  int fd;                   /* private from here on */
  unsigned events;
  bool active;
  /* When it is told: no error, nobody else watches the descriptor, and the kernel spoke of the file that it names, not of one
   * that had its number before. So poll(2) would say the same. */
  bool sure;
  howdah_watch *prev, *next;
};

/* A one-shot timer. Fires not before its time; timers that are due fire in order of their time, those of one time in the
 * order in which they were started. The owner keeps the memory. */
typedef struct howdah_timer howdah_timer;
struct howdah_timer {
  void (*fire)(howdah_timer *timer); /* set by the owner; called on the loop's main stack */
  void (*soon)(void *data);          /* the owner's, or NULL: fire() is likely to be called next; for prefetching */
  void *data;                        /* the owner's */
  size_t slot;                       /* private; 0 when inactive */
};

/* Something to run soon on the loop's main stack, in the order posted. The owner keeps the memory until it has run. */
typedef struct howdah_task howdah_task;
struct howdah_task {
  void (*run)(howdah_task *task); /* set by the owner */
  void *data;                     /* the owner's */
  howdah_task *next;              /* private from here on */
  bool posted;
};

/* 0, or -1 with errno as epoll_ctl sets it (EPERM: a descriptor that is always ready, as a disk file; EBADF). */
int howdah_loop_watch(howdah_loop *loop, howdah_watch *watch, int fd, unsigned events);
/* A descriptor was closed, or is another file's from now on: who watches it is told (HOWDAH_ERROR) in the loop's next turn, so
 * that they look and see why. Not needed for those that nobody watches. */
void howdah_loop_closed(howdah_loop *loop, int fd);
/* Does nothing when the watch is not active. After it, ready() is not called. Safe from within any callback. */
void howdah_loop_unwatch(howdah_loop *loop, howdah_watch *watch);
/* Starts, or restarts, a timer. 0, or -1 with ENOMEM. */
int howdah_loop_timer_start(howdah_loop *loop, howdah_timer *timer, uint64_t delay_us);
void howdah_loop_timer_stop(howdah_loop *loop, howdah_timer *timer);
/* When the earliest timer is due (CLOCK_MONOTONIC), UINT64_MAX when there is none. */
uint64_t howdah_loop_next_due_us(const howdah_loop *loop);
/* Calls the timers that are due now, before the loop itself does, but for those that are too many for one turn. Those that they
 * start wait for the next call. Does nothing from within a timer. */
void howdah_loop_run_timers(howdah_loop *loop);
/* Does nothing when the task is posted already. A task posted by a running task runs in the loop's next turn. */
void howdah_loop_post(howdah_loop *loop, howdah_task *task);
/* The same for what will compute for a while and has done so before: one of them a turn, after all else that the turn brings,
 * and only after a second look at the kernel since the last one. A client that comes while it computes is accepted by one look,
 * and heard by the next. */
void howdah_loop_post_slice(howdah_loop *loop, howdah_task *task);
/* Takes a task that is posted by the functions above back; does nothing when it is not. */
void howdah_loop_unpost(howdah_loop *loop, howdah_task *task);
/* The same as howdah_loop_post(), from any thread; wakes the loop up. */
void howdah_loop_post_from_thread(howdah_loop *loop, howdah_task *task);
/* CLOCK_MONOTONIC in microseconds, read now. */
uint64_t howdah_loop_now_us(void);

/* The epoll driver, for running without nginx. NULL with errno when the kernel refuses. */
howdah_loop *howdah_epoll_loop_new(void);
void howdah_epoll_loop_free(howdah_loop *loop);
/* Waits for events, at most max_wait_ms (-1: as long as it takes), and dispatches one turn. 0, or -1 with errno. */
int howdah_epoll_loop_turn(howdah_loop *loop, int max_wait_ms);

/* ---- The engine ---------------------------------------------------------------------------------------------------------- */

typedef enum { HOWDAH_LOG_ERROR, HOWDAH_LOG_WARNING, HOWDAH_LOG_NOTICE, HOWDAH_LOG_DEBUG } howdah_log_level;

typedef struct howdah_request howdah_request;
typedef struct howdah_pool howdah_pool;

/* Writes all of it to a log, also where a pipe or a terminal takes it in parts. One that has been made non-blocking and whose
 * reader does not read is waited for, but not for ever: the worker stands still meanwhile. Never yields, so that no other
 * realm's text comes in between. */
void howdah_write_whole(int fd, const char *data, size_t len);

typedef struct {
  /* A folder with a php.ini, and maybe with a conf.d of more, in the place of the embed SAPI's: /etc/php/8.2/fpm. NULL for
   * those. Copied. */
  const char *php_ini;
  /* "key=value\n..." that override php.ini, as `php -d` does; NULL for none. Copied. A value may have any character but a
   * newline (sapi/ini_text.c). */
  const char *ini_entries;
  /* Every message of PHP and of the engine, without a newline; request is the one it concerns, or NULL. May be called on a
   * coroutine's stack, and, when the process crashes, in a signal handler: it must be async-signal-safe (signal-safety(7)). A
   * fault in it is survived then. */
  void (*log)(howdah_log_level level, const char *message, size_t len, howdah_request *request);
  /* A line that a script has written to php://stderr, whole, as it is, its newline at its end; request is the one that the
   * script serves, or NULL. Called on a coroutine's stack. NULL: standard error. */
  void (*write_line)(const char *line, size_t len, howdah_request *request);
  /* A coroutine that has computed for so long (CPU time, in steps of 10 ms) yields to others; 0: never. */
  uint64_t slice_ms;
  /* Test mode: a seed other than 0 makes realms yield where they need not, reproducibly. */
  uint64_t chaos_seed;
  /* Test mode: leaves the state block of this name shared, to prove that the tests notice. NULL in production. */
  const char *without_block;
  /* The audit (engine/state/audit): looks whenever a realm is left which memory has changed, and writes its findings to this
   * file, as JSON; "": looks, writes nothing. Slow. NULL: off, and costs nothing. */
  const char *audit_report;
  /* How many requests may be in flight in one process, in all pools; 0: not known, many. Where it is more than one, PHP does
   * not start with an extension that Howdah does not know and that keeps memory which realms would share, unless it is audited;
   * where it is one, one request at a time is served in all pools. */
  unsigned at_once;
  /* Names of extensions, one a line, that are unknown to Howdah and may be shared by all requests all the same; NULL for none. */
  const char *shared_extensions;
  /* Test mode: Howdah knows no extension and judges all by what it finds. */
  bool know_no_extension;
} howdah_engine_options;

/* Starts PHP in this process (php.ini, extensions, opcache), finds everything that must be private, and installs the hooks.
 * Once per process, before workers are forked. 0, or -1 with a message for the user in error (one line, no newline). */
int howdah_engine_start(const howdah_engine_options *options, char *error, size_t error_size);
/* In each worker, after fork: the loop on which realms of this process wait. 0, or -1 with a message in error. */
int howdah_engine_attach(howdah_loop *loop, char *error, size_t error_size);
/* Writes the audit's report now, for a process that ends without howdah_engine_stop(). Does nothing when the audit is off; says
 * in the log when it cannot. */
void howdah_engine_save_audit(void);
/* In the process that starts workers: code that opcache holds is not run any more by workers that start from now on, where
 * opcache does not look at the files each time (opcache.validate_timestamps=0, or a revalidate_freq: two seconds unless php.ini
 * says otherwise). What is preloaded stays. */
void howdah_engine_renew_code(void);
/* In a worker that leaves when others have booted: its realms are not replaced for their code's sake any more. */
void howdah_engine_keep_code(void);
/* In a worker, for an application that is being developed: its files have changed. From now on no worker gives a request to a
 * worker-mode realm that began to boot before; requests that run end as they began. opcache has to look at files each time
 * (opcache.revalidate_freq=0). Or, where they are no code, only pages show them. How often one of the two was said in all
 * workers. */
uint32_t howdah_engine_take_saved(bool is_code);
/* How often it was said. */
uint32_t howdah_engine_saves(void);
/* Ends PHP in this process. All pools must have been freed. The audit's report is written a last time. */
void howdah_engine_stop(void);
/* Whether log() is called in a signal handler. */
bool howdah_engine_is_crashing(void);
/* In each worker: whether CPU time is measured for each request from now on, which reads a clock whenever a realm goes on or
 * parks. */
void howdah_engine_measure_cpu(bool on);
/* In each worker: whether the front-end has realms run one after the other from now on, and does nothing in between that
 * depends on the working directory (or calls howdah_engine_take_back_folder() first): the next realm is often in the same
 * folder, and changing it to and fro is two system calls. False, as it is at first, puts the process's back, and so does each
 * realm that is left then. Everything else that a realm has changed of the process is put back whenever it is left. */
void howdah_engine_lend_folder(bool lent);
void howdah_engine_take_back_folder(void);
/* Bytes of this process's memory that are resident and its own; 0 where the system does not say. Two microseconds. */
uint64_t howdah_engine_memory(void);
/* Whether PHP's setting cgi.fix_pathinfo was on when it started: of a script's path that goes on below a file, that file is the
 * script. */
bool howdah_engine_fixes_paths(void);
/* In each worker, once: of the descriptors that it may open so many stay for the front-end's own calls (but not more than an
 * eighth of all), when PHP has taken the others. 0, or -1 with a message in error. */
int howdah_engine_reserve_descriptors(unsigned most, char *error, size_t error_size);
/* "8.2.36" of the PHP that was linked, for messages; the engine need not be started. */
const char *howdah_engine_php_version(void);

/* ---- Requests ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  howdah_str name;
  howdah_str value;
} howdah_header;

/* What a realm waits for, as far as that is known where it parks. */
typedef enum {
  HOWDAH_WAIT_DESCRIPTOR, /* a connection, a pipe */
  HOWDAH_WAIT_SLEEP,
  HOWDAH_WAIT_LOCK,   /* what others hold: files, records, semaphores, mutexes */
  HOWDAH_WAIT_CHILD,  /* the end of a child process */
  HOWDAH_WAIT_THREAD, /* what another thread does: look-ups of names */
  HOWDAH_WAIT_CLIENT, /* more of the body, or room for more of the answer */
  HOWDAH_WAIT_KINDS
} howdah_wait_kind;

/* Of waits of one kind that are over: how many, and how long. */
typedef struct {
  uint64_t count, us;
} howdah_waits;
/* Of all realms of this process so far; one for each kind. */
void howdah_engine_get_waits(howdah_waits waits[HOWDAH_WAIT_KINDS]);

/* What a request does now: it waits, or it computes (PHP code that lets others run, or C code). */
typedef struct {
  uint64_t wait_us, cpu_us; /* so far: parked; of CPU time, 0 where that is not measured */
  uint64_t memory;          /* bytes that its realm's heap has from the kernel */
  bool waits;               /* and then the rest: */
  howdah_wait_kind kind;
  uint64_t us;       /* for how long so far */
  char subject[128]; /* "PostgreSQL 10.0.0.5:5432", "/srv/a" of a lock; ends with a zero; "": not known. May hold any bytes */
} howdah_doing;

/* One call of PHP's backtrace. The texts are PHP's own and live only during the call that tells of it. */
typedef struct {
  uintptr_t address;          /* of its frame, as php-fpm's slow log has it */
  howdah_str class, function; /* class is empty where there is none; what is included: "[INCLUDE_OR_EVAL]" */
  bool is_static;
  howdah_str file; /* of the line that calls it */
  unsigned line;
} howdah_frame;

/* Where the code of a request stands: the line, and the C function that it has called, if it has. */
typedef struct {
  howdah_str class, function; /* empty: none */
  howdah_str file;
  unsigned line;
} howdah_spot;

/* One wait of a request that is over. What is asked for again and again is told each time, with the same beginning. */
typedef struct {
  howdah_wait_kind kind;
  uint64_t began_us, us; /* howdah_loop_now_us() */
} howdah_wait;

/* Who is at the other end of a connection. */
typedef struct {
  const char *service; /* by its usual port: "PostgreSQL"; "" where that is nobody's */
  char address[112];   /* "10.0.0.5", "::1"; a local socket's path, "@name" of an abstract one, "" of one without a name */
  unsigned port;       /* 0: a local socket */
} howdah_peer;

/* How long a request has waited in one place, for one thing. Texts end with a zero and are cut, the file's at its beginning. */
typedef struct {
  howdah_wait_kind kind;
  uint64_t count, us, longest_us;
  unsigned line;
  char subject[96], function[64], file[160];
} howdah_waited;

/* Where the time of a slow request went. */
typedef struct {
  uint64_t us, wait_us;        /* since its realm began with it; how long of this it was parked */
  const howdah_waited *places; /* where it has waited longest, the longest first */
  unsigned count;
} howdah_account;

/* What the front-end does for a request. Unless said, called on the coroutine's stack while the request runs. */
typedef struct {
  /* Calls add() for each CGI variable (SCRIPT_NAME, REMOTE_ADDR, HTTP_... and so on; not those that are fields below). */
  void (*variables)(howdah_request *request, void (*add)(void *to, howdah_str name, howdah_str value), void *to);
  /* Copies up to size bytes of the body, in order; 0 at its end, -1 when it cannot be had. May park. */
  ssize_t (*read_body)(howdah_request *request, char *buffer, size_t size);
  /* The head of the response, once, before the first write. status is 200 to 999. Names are tokens (RFC 9110, 5.1). 0, or -1
   * when the client has gone. Whatever headers and names point to lives only during the call. */
  int (*send_head)(howdah_request *request, int status, const howdah_header *headers, size_t count);
  /* An interim response (100 to 199) with such headers, before the head; sent at once. 0, or -1 when it was not: the head is on
   * its way, the client knows none, or has gone. NULL: the front-end sends none. */
  int (*send_interim)(howdah_request *request, int status, const howdah_header *headers, size_t count);
  /* A field after the body. 0, or -1 when it cannot be sent any more, or never to this client. NULL: the front-end sends none. */
  int (*add_trailer)(howdah_request *request, const howdah_header *trailer);
  /* Bytes of the body; the front-end copies them. 0, or -1 when the client has gone. May park (back-pressure). */
  int (*write)(howdah_request *request, const char *data, size_t len);
  /* Sends what was written to the client now. 0, or -1 when the client has gone. May park. */
  int (*flush)(howdah_request *request);
  /* The response is whole before the request ends (fastcgi_finish_request): the client need not wait. At most once, before
   * finish(), which says the same. Must not free the request, nor start another: the coroutine goes on. */
  void (*end_response)(howdah_request *request);
  /* The response will not be PHP's, because the request ends before its time: status is 503, 504, or what
   * howdah_request_refuse() said. What has not been sent yet must not be; the answer is status, made by the front-end when
   * end_response() or finish() comes, whichever is first, or, where a part has been sent already, an end that the client
   * recognises as a broken one. On the main stack, at most once, before end_response(). */
  void (*fail)(howdah_request *request, int status);
  /* Whether the client has gone, asked of the kernel where what the front-end knows of it is old; on the main stack, of a
   * request that has waited for a realm and is about to begin. What is found out the front-end remembers, and does not tell the
   * engine again. NULL: it tells in time. */
  bool (*is_gone)(howdah_request *request);
  /* It has been served for howdah_request.slow_us, and goes on: howdah_request_look() and its like tell where it is. At most
   * once, on the main stack; or, where C code holds the worker, in a signal handler: then in_c is true, and it must be
   * async-signal-safe. NULL: nobody asks. */
  void (*slow)(howdah_request *request, uint64_t served_us, bool in_c);
  /* It has let nobody else of its worker run for a tenth of a second of CPU time, or again for as long: it is in C code, or
   * slices are off. In a signal handler. NULL: nobody asks. */
  void (*held)(howdah_request *request);
  /* A wait of it is over: howdah_request_place() tells where, howdah_request_subject() and _peer() what for. On the main stack,
   * before it goes on. Called where howdah_request.tells_waits is set; NULL: nobody asks. */
  void (*waited)(howdah_request *request, const howdah_wait *wait);
  /* It is over and was slow. On the main stack, before finish(). NULL: nobody asks. */
  void (*was_slow)(howdah_request *request, const howdah_account *account);
  /* Called once, on the main stack, when the engine has let go of the request: it may be freed. */
  void (*finish)(howdah_request *request);
} howdah_request_ops;

/* One request. The front-end allocates it, zeroes it, fills the first part, and keeps all that it points to until finish(). */
struct howdah_request {
  const howdah_request_ops *ops;
  void *front;                /* the front-end's own */
  howdah_str method;          /* "GET" */
  howdah_str request_uri;     /* as sent: path and query, not decoded */
  howdah_str query_string;    /* after the '?', without it */
  howdah_str protocol;        /* "HTTP/1.1" */
  howdah_str content_type;    /* empty when there is none */
  howdah_str cookie;          /* the Cookie headers, joined by "; " */
  howdah_str script_filename; /* classic mode: the file to run, absolute. Worker mode: empty */
  howdah_str authorization;   /* the Authorization header, for PHP_AUTH_* */
  howdah_str php_value;       /* classic mode: PHP settings of this request, "name=value" lines; the script may change them */
  howdah_str php_admin_value; /* the same, and it may not */
  int64_t content_length;     /* bytes of the body; -1 when not known */
  bool outlives_client;       /* a client that goes does not end it: PHP learns of that at its next write */
  uint64_t slow_us;           /* served for longer than this, it is slow (ops->slow); 0: never */
  bool tells_waits;           /* ops->waited is told of each of its waits */
  /* Written by the engine. */
  int status;                    /* what was sent, 0 while nothing was */
  howdah_str reason;             /* during send_head(): the words beside the status; empty: the front-end's own */
  uint64_t wait_us;              /* time spent parked, until finish() */
  uint64_t cpu_us;               /* CPU time, until finish(); 0 where howdah_engine_measure_cpu() is off */
  uint64_t memory;               /* bytes: the most that PHP's heap had from the kernel, as memory_get_peak_usage(true) */
  uint32_t realm_id;             /* which realm served it; 0: none did */
  uint64_t received_us;          /* when its pool got it (howdah_loop_now_us()); 0: it has not */
  uint64_t queue_us;             /* how long it waited for a realm after that */
  void *engine;                  /* private */
  howdah_request *next, *before; /* private: in the queue of */
  howdah_pool *waits_in;         /* private */
  bool aborted;                  /* private: the client has gone */
  int refused;                   /* private: howdah_request_refuse()'s status */
};

/* Parks the coroutine that runs this request until howdah_request_wake(); for front-ends, inside read_body, write and flush
 * only. A wake that came first is not lost. 0, or -1 when the wait was cancelled (the realm must unwind). Parks. */
int howdah_request_park(howdah_request *request);
/* Wakes it; from the main stack. The coroutine goes on when the loop turns. */
void howdah_request_wake(howdah_request *request);
/* Its body cannot be had to its end, or nobody waits for its answer any more: of a request that a realm serves, on the main
 * stack. Its code is unwound as where its time limit has passed, and fail() is told the status (400 to 599). finish() may come
 * before this returns. */
void howdah_request_refuse(howdah_request *request, int status);
/* Somebody on this machine wants it to end. One that waits for a realm is answered 503. One that a realm serves is unwound as
 * where its time limit has passed, with 504 unless its client has its answer; the log says where PHP was. False: it ends
 * already. On the main stack, not in the midst of another request; finish() may come before this returns. */
bool howdah_request_end(howdah_request *request);
/* The client has gone. A request that waits for a realm does not begin. Of one that runs, what it waits for fails and its code
 * is unwound: shutdown functions and destructors run; unless the script said ignore_user_abort(): then PHP learns of it at its
 * next write (connection_status()). Where outlives_client is set, it begins all the same, behind all others and if there is
 * room for it, and runs until PHP learns of it. finish() still comes, maybe before this returns when called on the main stack;
 * on the coroutine's stack, only the next write tells. */
void howdah_request_aborted(howdah_request *request);

/* What a request does that a realm serves. From the main stack, or in a signal handler while it runs. False where no realm has
 * it. */
bool howdah_request_look(const howdah_request *request, howdah_doing *doing);
/* Where its code stands; the same. tell() is called at most once. What cannot be read ends it, also in tell(), which must hold
 * nothing: false then, and where no realm has it. */
bool howdah_request_place(const howdah_request *request, void (*tell)(void *to, const howdah_spot *spot), void *to);
/* What it waits for, in words, as in howdah_doing; within ops->waited(). */
void howdah_request_subject(const howdah_request *request, char *text, size_t size);
/* Who holds the file's lock that it waits for. It may have changed by the time that this returns. */
typedef struct {
  const howdah_request *request; /* of this process, and took it; NULL: another process's, or of none */
  uint32_t realm;                /* of this process; 0: no realm's */
  pid_t process;
} howdah_lock_holder;
/* False: it waits for no file's lock, or nobody is known to hold it. Reads files of /proc. On the main stack. */
bool howdah_request_lock_holder(const howdah_request *request, howdah_lock_holder *holder);
/* Where its time has gone so far, in waits that are over. False: nobody has asked for that (slow_us). On the main stack. */
bool howdah_request_account(const howdah_request *request, void (*tell)(void *to, const howdah_account *account), void *to);
/* The peer of the connection that it waits for, of several the first; the same. False: it waits for none. */
bool howdah_request_peer(const howdah_request *request, howdah_peer *peer);
/* Calls tell() for each call of its backtrace, the innermost first, at most so many. The same. */
bool howdah_request_each_frame(const howdah_request *request, unsigned most, void (*tell)(void *to, const howdah_frame *frame),
                               void *to);

/* ---- Pools --------------------------------------------------------------------------------------------------------------- */

typedef enum { HOWDAH_CLASSIC, HOWDAH_WORKER } howdah_mode;

typedef struct {
  howdah_mode mode;
  const char *script;        /* worker mode: the worker script, absolute. Classic: NULL, each request names its own. Copied. */
  const char *document_root; /* for $_SERVER while the worker script boots. Copied. */
  unsigned realms_max;       /* 1 to 10000 */
  unsigned realms_warm;      /* born at start and kept where others are let go; at most realms_max */
  unsigned adaptive_least;   /* how many requests run at once is found out, from so many to realms_max; 0: it is realms_max */
  unsigned queue_max;        /* requests that may wait for a realm; more get 503 */
  uint64_t queue_timeout_ms; /* waiting longer gets 503; 0: no limit */
  uint64_t idle_timeout_ms;  /* a realm that is idle for so long ends, where there are more than the warm ones; 0: none does */
  uint64_t requests_max;     /* a realm is replaced after so many, or up to an eighth fewer; 0: never */
  uint64_t realm_memory;     /* a realm whose heap is larger, in bytes, when it has served is replaced; 0: none is */
  bool without_opcache;      /* worker mode: realms compile their code for themselves, from the files as they are */
  uint64_t request_timeout_ms; /* a realm that serves a request for longer is unwound, the answer is 504; 0: no limit */
  uint64_t boot_timeout_ms;    /* worker mode: a boot that takes longer is unwound, and has failed; 0: no limit */
  bool rewinds;                /* worker mode: each request finds the application as it had booted (docs/rewind.md) */
  const char *rewind_without;  /* test mode: parts of that which are left out, "part\n..." (state/snapshot_parts.h). Kept */
} howdah_pool_options;

/* Why realms have ended. */
typedef struct {
  uint64_t script;   /* exit, an uncaught exception, a fatal error, a request that was cancelled */
  uint64_t boot;     /* worker mode: before they asked for a request */
  uint64_t requests; /* as many as they may serve */
  uint64_t memory;   /* their own */
  uint64_t outdated; /* code of before a restart of opcache */
  uint64_t idle;
  uint64_t ceiling; /* the worker's memory */
} howdah_pool_deaths;

typedef struct {
  unsigned realms;    /* alive */
  unsigned busy;      /* of them, serving a request */
  unsigned waiting;   /* of the busy ones, parked */
  unsigned queued;    /* requests without a realm */
  unsigned limit;     /* so many requests may run at once now */
  uint64_t requests;  /* finished */
  unsigned booting;   /* of the realms: worker mode, those that boot */
  unsigned computing; /* of the busy ones that do not boot: those that are not parked, or only let others run */
  uint64_t births, deaths;
  howdah_pool_deaths why;
  uint64_t collections, collected; /* of idle realms: how often PHP looked for reference cycles, and what it freed */
  uint64_t cancelled;              /* requests that ended before their time: client gone, time limit, shutdown */
  uint64_t switches;               /* a coroutine went on */
  uint64_t loads;                  /* of them, those that had to copy another realm's state in */
} howdah_pool_stats;

/* Why no pool can rewind with this PHP, in words; NULL: it can. */
const char *howdah_rewind_refusal(void);
/* NULL with a message in error. Warm realms are born here and boot as soon as the loop turns. */
howdah_pool *howdah_pool_new(const howdah_pool_options *options, char *error, size_t error_size);
/* Worker mode, of a new pool: calls over() once, on the main stack, when its first boot is over: a realm has booted, or has
 * failed to. From then on nothing that ends the process is that boot's. */
void howdah_pool_when_booted(howdah_pool *pool, void (*over)(void *data), void *data);
/* Hands a request over, from the main stack. It may run, park or finish before this returns; finish() comes exactly once. */
void howdah_pool_submit(howdah_pool *pool, howdah_request *request);
/* The worker is about to go: realms that boot and that no request waits for end, and none boots in the background any more.
 * Requests are served as before. */
void howdah_pool_close(howdah_pool *pool);
/* Lets requests finish and ends idle realms; calls done once, on the main stack, when no realm is left. A request that is
 * submitted all the same is served, by a realm that ends after it. */
void howdah_pool_drain(howdah_pool *pool, void (*done)(void *data), void *data);
/* Ends the requests that are left, before their time: 503 where nothing was sent, PHP's code is unwound. They may finish before
 * this returns, or while the loop turns. */
void howdah_pool_cancel(howdah_pool *pool);
/* Only when drained. */
void howdah_pool_free(howdah_pool *pool);
/* A ceiling for the memory of this process, in bytes; 0: none. Above it realms end as soon as they are idle, and none is born. */
void howdah_pools_limit_memory(uint64_t bytes);
/* Whether a worker script boots: tries it with a pool of one realm, and ends that. For a process that is there for this alone
 * and ends after it: its loop is the epoll driver's. 0, or -1 with a message in error; what PHP said is in the log. At most
 * boot_timeout_ms, and some seconds for the realm's end. */
int howdah_pool_try(const howdah_pool_options *options, howdah_loop *loop, char *error, size_t error_size);
void howdah_pool_get_stats(const howdah_pool *pool, howdah_pool_stats *stats);
/* Of one realm, as it is now. */
typedef struct {
  bool busy;                     /* it serves, or boots, or tidies up */
  uint64_t born_us;              /* howdah_loop_now_us() */
  uint64_t served;               /* requests */
  const howdah_request *request; /* that it serves; NULL: none */
  /* Of the last one that it has served; 0: there was none. */
  uint64_t last_us, last_cpu_us, last_memory; /* how long the realm had it; as in howdah_request */
} howdah_realm_info;
/* Calls tell() for each realm, the youngest first. On the main stack; tell() must not touch the pool. */
void howdah_pool_each_realm(const howdah_pool *pool, void (*tell)(void *to, const howdah_realm_info *realm), void *to);
/* The same for each request that waits for a realm, the first one first. */
void howdah_pool_each_queued(const howdah_pool *pool, void (*tell)(void *to, const howdah_request *request), void *to);
typedef enum { HOWDAH_POOL_BOOTING, HOWDAH_POOL_FAILING, HOWDAH_POOL_READY } howdah_pool_readiness;
/* Worker mode: READY where a realm has booted, or none does before it is asked for; FAILING where none has, and three in a
 * row did not, or one until its time limit, or nobody tries the next one. Classic mode: READY. */
howdah_pool_readiness howdah_pool_get_readiness(const howdah_pool *pool);
/* So many requests may run at once now: realms_max, or what was found out. */
unsigned howdah_pool_limit(const howdah_pool *pool);

#endif
