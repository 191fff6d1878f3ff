/* What the files of the module share: the configuration and one request on its way. */
#ifndef HOWDAH_NGINX_MODULE_H
#define HOWDAH_NGINX_MODULE_H

#include "compat.h"
#include "../engine/howdah.h"

/* ---- Configuration (conf.c) ---- */

/* A pool that locations share (slots.c); the pool itself is each worker's own. */
typedef struct {
  howdah_pool_options options;
  ngx_str_t name;   /* howdah_pool's; empty: none */
  ngx_str_t folder; /* classic mode: of its scripts */
  howdah_pool *pool;
  ngx_uint_t active;                   /* requests that the pool has; balance.c's */
  bool full;                           /* as many as it serves at once; balance.c's */
  bool refuses;                        /* 503: its script waits for its next trial, or is tried; relapse.c's */
  ngx_str_t label;                     /* its name in figures: howdah_pool's, or the server's */
  struct howdah_pool_figures *figures; /* figures.c's; NULL: nothing is counted */
} howdah_slot;

typedef struct howdah_board howdah_board;
typedef struct howdah_relapses howdah_relapses;

typedef struct {
  ngx_array_t slots;             /* howdah_slot * */
  ngx_array_t ini;               /* ngx_str_t "key=value" */
  ngx_array_t shared_extensions; /* ngx_str_t */
  ngx_uint_t chaos_seed;
  ngx_msec_t slice;
  ngx_str_t php_ini;         /* the folder of PHP's settings; empty: the embed SAPI's */
  ngx_str_t audit;           /* the report's file; empty: no audit */
  off_t worker_memory;       /* bytes */
  ngx_uint_t request_id;     /* the variable's index */
  ngx_array_t *collectors;   /* trace.c's; NULL: none */
  howdah_board *board;       /* balance.c's; NULL: there is one worker, or no memory */
  howdah_relapses *relapses; /* relapse.c's; NULL: there is no master, or no memory */
  bool measures;             /* somebody asks for figures (figures.h) */
  bool measures_cpu;         /* and for CPU time; or a variable does */
  bool lists_realms;         /* and for each realm: howdah_status may be asked for php-fpm's list */
  uint64_t cycle;            /* places.c's: which configuration it is */
} howdah_main_conf;

/* What becomes of a request whose client leaves. */
enum { HOWDAH_CANCEL, HOWDAH_CONTINUE };

enum { HOWDAH_NO_MODE = 2 }; /* a location without howdah_pass */

typedef struct {
  ngx_uint_t mode;                 /* a howdah_mode, or HOWDAH_NO_MODE */
  ngx_http_complex_value_t script; /* classic: may contain variables */
  ngx_str_t worker_script;
  ngx_str_t pool_name; /* empty: none */
  ngx_int_t concurrency, warm, queue, max_requests;
  ngx_int_t adaptive_least; /* concurrency adapts itself and is never lower; 0: it is fixed */
  ngx_msec_t queue_timeout, request_timeout, idle_timeout, boot_timeout;
  off_t realm_memory;      /* bytes */
  off_t max_form;          /* bytes; 0: no limit */
  ngx_uint_t client_abort; /* HOWDAH_CANCEL, HOWDAH_CONTINUE */
  ngx_flag_t ignore_client_abort, request_buffering;
  ngx_flag_t rewind;          /* in worker mode */
  ngx_array_t *params;        /* params.c's; NULL: none */
  struct howdah_files *files; /* files.c's; NULL: all requests of the location are PHP's */

  ngx_msec_t slow;                   /* PHP serves it for longer: it is for the log of slow requests; 0: none is */
  ngx_open_file_t *slow_log;         /* slow.c's */
  struct howdah_status_conf *status; /* status.c's; NULL: none */
  struct howdah_health_conf *health; /* health.c's; NULL: none */
  struct howdah_trace_conf *trace;   /* trace.c's; NULL: none */
  bool top;                          /* top_page.c's */
  howdah_slot *slot;
  /* Worker mode: what $_SERVER names, but for requests that name the worker script: */
  ngx_str_t script_name, script_filename;
  ngx_str_t worker_name; /* its own name in URIs, beside public/index.php; empty: none */
} howdah_loc_conf;

/* Where it is used, a clock is read whenever a realm goes on or parks. */
#define HOWDAH_CPU_VARIABLE "howdah_cpu_ms"

extern ngx_module_t ngx_http_howdah_module;

void *howdah_create_main_conf(ngx_conf_t *cf);
void *howdah_create_loc_conf(ngx_conf_t *cf);
char *howdah_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child);
char *howdah_set_pass(ngx_conf_t *cf, ngx_command_t *command, void *conf);
char *howdah_set_ini(ngx_conf_t *cf, ngx_command_t *command, void *conf);
char *howdah_set_shared_extension(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* A file's name, made absolute. */
char *howdah_set_file(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* An integer between the bounds that command->post points to. */
char *howdah_set_number(ngx_conf_t *cf, ngx_command_t *command, void *conf);
char *howdah_set_pool(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* slots.c. NULL when memory is short, or after a message. */
howdah_slot *howdah_find_slot(ngx_conf_t *cf, const howdah_loc_conf *conf, const howdah_pool_options *options);
char *howdah_set_concurrency(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* The script's path relative to the document root, with a leading slash; its last part when it is not below. No copy. */
ngx_str_t howdah_script_name(const ngx_str_t *script, const ngx_str_t *root);

/* ---- One request (request.c, visit.c, arrivals.c, departures.c, variables.c, body.c, head.c, interim.c, accel.c, trailer.c, output.c) ---- */

typedef struct howdah_visit howdah_visit;

typedef struct {
  howdah_request request; /* first: the engine's callbacks get its address */
  ngx_http_request_t *r;
  howdah_slot *slot;
  howdah_visit *visit;
  uint64_t number;            /* top.c's: no other request's of this nginx that this worker has had */
  struct howdah_trace *trace; /* trace.c's; NULL: it is in none */
  ngx_queue_t relatives;      /* visit.c's */
  unsigned uri_changes;       /* as the request had when PHP began */
  ngx_queue_t queue;          /* arrivals.c's, then departures.c's */
  ngx_str_t document_root, document_uri, script_name, script_filename, path_info;
  howdah_header *params; /* of howdah_param */
  size_t param_count;
  ngx_str_t name, joined; /* variables.c's buffers, and their sizes: a header's name in capitals, its lines in one */

  ngx_chain_t *body; /* what has not been read, and how much of its first buffer has */
  off_t body_offset;
  int body_broken; /* there will be no more, though it is not whole: the status that says why; 0: it is not broken */

  ngx_chain_t *out, **out_last; /* gathered, not yet given to nginx; our buffers */
  size_t gathered;              /* bytes in out */
  ngx_chain_t *busy, *free;     /* given to nginx and not sent; sent */
  ngx_event_t *parting;         /* parting.c's; NULL: none */
  ngx_temp_file_t *backlog;     /* backlog.c's; how much of it nginx has: */
  off_t backlog_given;
  const ngx_open_file_t *slow_log; /* slow.c's */
  uint64_t finished_us;            /* when the engine has let go of it */
  off_t written, content_length;   /* bytes that PHP wrote; that it announced, or -1 */
  ngx_str_t redirect;              /* X-Accel-Redirect: what answers instead of PHP; data is NULL when nothing does */
  ngx_int_t result;                /* what finish() tells nginx */
  size_t beside;                   /* bytes of interim responses and trailers, nearly */
  int failed;                      /* the status of an answer that is not PHP's; 0: it is PHP's */

  /* The log of slow requests has it. Written by a signal handler: no bit-field, whose neighbours are changed by those who are
   * interrupted. */
  volatile sig_atomic_t told_slow;

  unsigned head_made : 1;
  unsigned head_sent : 1;
  unsigned no_body : 1;   /* nginx sends none (204, 304, HEAD) */
  unsigned head_kept : 1; /* a filter has it, and waits for the end of a body that is none */
  unsigned ended : 1;
  unsigned gone : 1;         /* the client */
  unsigned parked : 1;       /* in write or flush, for a slow client */
  unsigned body_streams : 1; /* nginx reads the body while PHP does */
  unsigned awaits_body : 1;  /* parked for more of it */
  unsigned ignore_abort : 1;
  unsigned is_flushed : 1; /* nothing was written since the last flush */
  unsigned keeps : 1;      /* there is something for when the request has its turn */
  unsigned finished : 1;   /* the engine knows the request no more */
  unsigned is_lost : 1;    /* it is to be told that the client has gone */
  unsigned parted : 1;     /* parting.c: the connection has, or has ended */
  unsigned left : 1;       /* nginx has it back */
  unsigned refused : 1;    /* a filter answers instead of PHP */
  unsigned replaced : 1;   /* and for that another location has the request */
} howdah_exchange;

/* When the http block has been read. NGX_ERROR, with a message in the log, where a reload would replace workers by broken
 * ones. */
ngx_int_t howdah_check_reload(ngx_conf_t *cf);
/* trial.c: the same, where PHP runs. Waits as long as the worker scripts boot. */
ngx_int_t howdah_try_scripts(ngx_conf_t *cf);

ngx_int_t howdah_handler(ngx_http_request_t *r);
/* The status of PHP's answer, as far as it is known; 499 where the client has gone. */
ngx_int_t howdah_exchange_status(const howdah_exchange *exchange);
/* The client has gone. On the main stack the request may be over, and its memory gone, when this returns; in the coroutine the
 * realm learns it at its next write. */
void howdah_exchange_lost(howdah_exchange *exchange);
/* Looks whether it has, as far as nginx knows or, to ask, the kernel. On the main stack; true: howdah_exchange_lost() was
 * called. */
bool howdah_exchange_look(howdah_exchange *exchange, bool ask);
/* After nginx's filters were called: whether one of them has finalized the request, whose rc is what they returned. What PHP
 * still writes is for nobody, and the request's handlers are not ours any more. */
bool howdah_exchange_refused(howdah_exchange *exchange, ngx_int_t rc);

/* visit.c. The exchange begins: main->blocked keeps the request until it leaves. NGX_ERROR when memory is short. */
ngx_int_t howdah_visit_join(howdah_exchange *exchange);
void howdah_visit_leave(howdah_exchange *exchange);
/* What PHP serves for this request, or NULL. Where nginx's events begin, r->ctx may have been cleared. */
howdah_exchange *howdah_exchange_of(const ngx_http_request_t *r);
/* Filters may have made subrequests on a coroutine's stack: nginx starts them soon. */
void howdah_visit_hurry(howdah_visit *visit);
/* The client has gone: all that PHP does for it learns that soon. From any stack. */
void howdah_visit_lose(howdah_visit *visit);
/* nginx has given the client's request up. */
bool howdah_visit_is_terminated(const howdah_visit *visit);

/* PHP serves it when nginx has read what else is ready, and finish() follows: the request may be over then, and its memory
 * gone. */
void howdah_arrivals_put(howdah_exchange *exchange);

/* Around callbacks of the loop, and after each of them: answers that become ready leave together. */
void howdah_departures_open(void);
void howdah_departures_look(void);
void howdah_departures_close(void);
/* When the callback that runs began, by howdah_loop_now_us(). */
uint64_t howdah_departures_time(void);
/* True: howdah_exchange_leave() comes soon. False: it is the caller's to call. */
bool howdah_departures_hold(howdah_exchange *exchange, uint64_t now_us);
/* The engine has let go of the request: its answer goes to the client as far as it has not, and nginx gets it back. Its memory
 * may be gone then. */
void howdah_exchange_leave(howdah_exchange *exchange);

/* form.c: a POST of a form whose body, as far as its length is known, has more bytes than PHP takes. The log says so. */
bool howdah_form_is_too_large(ngx_http_request_t *r, off_t limit);

/* parting.c: the client has its whole answer, or has got more of it, and the script goes on: the connection is to be free for
 * the next request soon, or to end. From any stack. */
void howdah_parting_look(howdah_exchange *exchange);
/* The script has ended. */
void howdah_parting_forget(howdah_exchange *exchange);

/* Nobody reads the client's body, though it is not whole. */
void howdah_body_rests(ngx_http_request_t *r);
/* Whoever answers in PHP's place is to know of no body, where PHP has read it as it came. */
void howdah_body_forget(howdah_exchange *exchange);
/* backlog.c: takes the bytes of a chain of memory buffers; NGX_ERROR when the disk does not, after a message. */
ngx_int_t howdah_backlog_put(howdah_exchange *exchange, ngx_chain_t *chain);
/* Puts what was taken and has not been given back before the chain. NGX_ERROR when memory is short. */
ngx_int_t howdah_backlog_take(howdah_exchange *exchange, ngx_chain_t **chain);

/* The client's body has been read: from now on what comes on the connection tells whether it is still there. */
void howdah_watch_client(ngx_http_request_t *r);
/* output.c: the request's write_event_handler. nginx can send more, or it is this subrequest's turn. */
void howdah_on_writable(ngx_http_request_t *r);

/* interim.c: whether there may be so many bytes more of interim responses and trailers, which nginx keeps until the request
 * ends; they are counted then. */
bool howdah_exchange_affords(howdah_exchange *exchange, size_t bytes);

void howdah_op_variables(howdah_request *request, void (*add)(void *to, howdah_str name, howdah_str value), void *to);
ssize_t howdah_op_read_body(howdah_request *request, char *buffer, size_t size);
int howdah_op_send_head(howdah_request *request, int status, const howdah_header *headers, size_t count);
int howdah_op_send_interim(howdah_request *request, int status, const howdah_header *headers, size_t count);
int howdah_op_add_trailer(howdah_request *request, const howdah_header *trailer);
int howdah_op_write(howdah_request *request, const char *data, size_t len);
int howdah_op_flush(howdah_request *request);
void howdah_op_end_response(howdah_request *request);
void howdah_op_fail(howdah_request *request, int status);

/* head.c: a header of the response; nginx is told of those that it must know. The texts are kept, not copied. */
ngx_int_t howdah_add_header(howdah_exchange *exchange, ngx_str_t name, ngx_str_t value);

/* accel.c: true for a header that is meant for nginx, which has been obeyed and is not the client's. */
bool howdah_accel_header(howdah_exchange *exchange, const ngx_str_t *name, const ngx_str_t *value);
/* accel.c: lets another location answer, as PHP wished. On the main stack, when PHP is done; what to finalize the request
 * with. */
ngx_int_t howdah_accel_redirect(howdah_exchange *exchange);

static inline bool howdah_is(const ngx_str_t *text, const char *wanted) {
  return text->len == ngx_strlen(wanted) && ngx_strncmp(text->data, wanted, text->len) == 0;
}

static inline bool howdah_same(const ngx_str_t *a, const ngx_str_t *b) {
  return a->len == b->len && (a->len == 0 || ngx_memcmp(a->data, b->data, a->len) == 0);
}

/* A word that begins so and goes on: what follows. */
static inline bool howdah_begins(const ngx_str_t *word, const char *with, ngx_str_t *rest) {
  size_t len = ngx_strlen(with);
  if (word->len <= len || ngx_strncmp(word->data, with, len) != 0) return false;
  *rest = (ngx_str_t){word->len - len, word->data + len};
  return true;
}

/* Whether the connection of nginx's that it came by is. */
static inline bool howdah_is_encrypted(const ngx_http_request_t *r) {
#if (NGX_HTTP_SSL)
  return r->connection->ssl != NULL;
#else
  (void)r;
  return false;
#endif
}

static inline howdah_str howdah_str_of(const ngx_str_t *text) {
  return (howdah_str){(const char *)text->data, text->len};
}

/* ---- howdah_param (params.c) ---- */

char *howdah_set_param(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* PHP's settings cannot be set for one request of a worker script: NGX_CONF_ERROR and a message. */
char *howdah_check_params(ngx_conf_t *cf, const howdah_loc_conf *location);
/* Fills the exchange's params, and the request's PHP settings among them. NGX_ERROR when memory is short. */
ngx_int_t howdah_evaluate_params(howdah_exchange *exchange, const howdah_loc_conf *location);

/* ---- howdah_files (files.c, source.c) ---- */

char *howdah_set_files(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* NGX_CONF_ERROR and a message where it does not go with the rest of its location. */
char *howdah_check_files(ngx_conf_t *cf, const howdah_loc_conf *conf);
/* NGX_OK: PHP serves the request, in classic mode with the script that is given, whose memory is the request's. NGX_DECLINED:
 * nginx's own handlers do. NGX_DONE: another location has it. Else the status of the answer. */
ngx_int_t howdah_files_find(ngx_http_request_t *r, const howdah_loc_conf *conf, ngx_str_t *script);
/* PHP lets nginx answer (X-Accel-Redirect): with files, too, that are not published. NGX_ERROR when memory is short. */
ngx_int_t howdah_files_grant(ngx_http_request_t *r);
/* The variable $howdah_file. */
ngx_int_t howdah_get_file(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data);
/* forwarded.c: the variable $howdah_forwarded_scheme. */
ngx_int_t howdah_get_forwarded_scheme(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data);
/* htaccess.c: NGX_OK, or the status of the answer where the .htaccess of a folder between the root, whose path is so long, and
 * the file refuses it. */
ngx_int_t howdah_ask_htaccess(ngx_http_request_t *r, const ngx_str_t *file, size_t root);
/* Whether the last part of the URI is the name of a script, or of what was left of one. */
bool howdah_is_named_as_source(const ngx_http_request_t *r);

/* ---- The process (process.c, log.c) ---- */

ngx_int_t howdah_init_module(ngx_cycle_t *cycle);
ngx_int_t howdah_init_process(ngx_cycle_t *cycle);
void howdah_exit_process(ngx_cycle_t *cycle);
void howdah_exit_master(ngx_cycle_t *cycle);
/* A request begins or ends: a worker that shuts down waits for the last one. */
void howdah_request_begins(howdah_slot *slot);
void howdah_request_ends(howdah_slot *slot);

/* Of all pools of this worker the one that is furthest from being ready. */
howdah_pool_readiness howdah_readiness(const howdah_main_conf *conf);
/* This worker takes no more connections. */
bool howdah_is_leaving(void);

/* ---- Workers that follow others (succession.c) ---- */

/* In the master, for each configuration. */
void howdah_succession_begin(const ngx_cycle_t *cycle);
/* In a worker: it takes connections, now or when it may. NGX_ERROR when memory is short. */
ngx_int_t howdah_succession_start(ngx_cycle_t *cycle, const howdah_main_conf *conf);
/* nginx leaves. */
void howdah_succession_stop(void);
/* It takes no more connections, though nginx does not leave yet. */
bool howdah_succession_leaves(void);
/* While a configuration is read: answers of a worker that leaves tell their client so. */
void howdah_succession_filter(void);
/* In a worker that nginx is about to take idle connections from: what has come on them is read. */
void howdah_succession_hear(void);

/* ---- howdah_renew (renew.c) ---- */

char *howdah_set_renew(ngx_conf_t *cf, ngx_command_t *command, void *conf);
char *howdah_set_renewals(ngx_conf_t *cf, ngx_command_t *command, void *conf);

/* ---- Figures (figures.c, places.c, status.c, health.c) ---- */

char *howdah_set_status(ngx_conf_t *cf, ngx_command_t *command, void *conf);
char *howdah_set_health(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* After nginx's own modules have merged theirs. */
void howdah_merge_health(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf);
char *howdah_merge_status(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf);
/* Whether other machines reach this location, and nothing restricts who may ask. */
bool howdah_is_open(ngx_conf_t *cf);
/* In the master, for each configuration that measures. */
void howdah_figures_begin(ngx_cycle_t *cycle, howdah_main_conf *conf);
/* In a worker. NGX_ERROR when memory is short; without a place it counts nothing, and goes on. */
ngx_int_t howdah_figures_start(ngx_cycle_t *cycle, howdah_main_conf *conf);
void howdah_figures_stop(void);
/* A request is over, with this status. */
void howdah_figures_count(const howdah_exchange *exchange, ngx_int_t status);
/* What pools and realms do is told soon; or now. */
void howdah_figures_look(uint64_t now_us);
void howdah_figures_tell(void);

/* The log of slow requests has one more. Also in a signal handler. */
void howdah_figures_slow(const howdah_exchange *exchange);

/* ---- The log of slow requests (slow.c) ---- */

char *howdah_set_slow_log(ngx_conf_t *cf, ngx_command_t *command, void *conf);
char *howdah_merge_slow(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf);
/* The engine's callbacks. */
void howdah_op_slow(howdah_request *request, uint64_t served_us, bool in_c);
void howdah_op_was_slow(howdah_request *request, const howdah_account *account);

/* What a wait is for, as programs read it. */
#define HOWDAH_EACH_WAIT(each)                                                                                                 \
  each("descriptor", HOWDAH_WAIT_DESCRIPTOR) each("sleep", HOWDAH_WAIT_SLEEP) each("lock", HOWDAH_WAIT_LOCK)                   \
      each("child", HOWDAH_WAIT_CHILD) each("thread", HOWDAH_WAIT_THREAD) each("client", HOWDAH_WAIT_CLIENT)

/* ---- Traces (trace.c, traceparent.c, trace_export.c; trace.h) ---- */

char *howdah_set_trace(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* In a worker. NGX_ERROR when memory is short. */
ngx_int_t howdah_trace_start(ngx_cycle_t *cycle, const howdah_main_conf *conf);
/* It takes no more connections: what is in its queues goes to the collectors soon, and holds it for some seconds at most. */
void howdah_trace_leave(void);
void howdah_trace_stop(void);
/* nginx has read a request's head; and PHP has served it, with this status. */
void howdah_trace_begin(howdah_exchange *exchange, const howdah_loc_conf *conf);
void howdah_trace_end(const howdah_exchange *exchange, ngx_int_t status);
/* Whether PHP is not to see this header of the client's. */
bool howdah_trace_hides(const howdah_exchange *exchange, const ngx_str_t *name);
/* What PHP is to see as traceparent; empty: nothing. */
howdah_str howdah_trace_parent(const howdah_exchange *exchange);
/* The engine's callback. */
void howdah_op_waited(howdah_request *request, const howdah_wait *wait);
/* What became of spans, and how many had which end so far. */
typedef enum {
  HOWDAH_SPANS_EXPORTED,
  HOWDAH_SPANS_REJECTED,
  HOWDAH_SPANS_FAILED,
  HOWDAH_SPANS_DROPPED,
  HOWDAH_SPAN_RESULTS
} howdah_spans_result;
void howdah_trace_count(uint64_t spans[HOWDAH_SPAN_RESULTS]);

/* ---- What each request does (top.c) ---- */

/* In the master, once. */
void howdah_top_begin(ngx_cycle_t *cycle);
/* In each process that it has started: who may open its descriptors is not to find it. */
void howdah_top_hide(void);
/* In a worker. */
void howdah_top_start(ngx_cycle_t *cycle, howdah_main_conf *conf);
void howdah_top_stop(void);
/* A request begins, or ends. */
void howdah_top_begins(howdah_exchange *exchange);
void howdah_top_ends(void);
/* PHP runs since then; 0: it does not. */
void howdah_top_deaf(uint64_t since_us);
/* Tells what requests do, if somebody has asked. */
void howdah_top_look(void);
/* The engine's callback. */
void howdah_op_held(howdah_request *request);
/* What they do, for a page (top_page.c). */
char *howdah_set_top(ngx_conf_t *cf, ngx_command_t *command, void *conf);
/* After nginx's own modules have merged theirs: those come before. */
void howdah_merge_top(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf);

/* In a worker: connections that nginx closes leave its epoll set at once, whoever else has their sockets (closing.c). */
void howdah_closing_start(void);

/* ---- Connections among the workers (balance.c) ---- */

/* In the master, for each cycle: NULL where there is nobody to share with, or after a message. */
howdah_board *howdah_board_new(ngx_cycle_t *cycle);
/* In a worker. */
ngx_int_t howdah_balance_start(ngx_cycle_t *cycle, howdah_board *board);
void howdah_balance_stop(void);
/* The worker hears of this listening socket's connections again. */
void howdah_balance_look_again(ngx_connection_t *queue);
void howdah_balance_begins(howdah_slot *slot);
void howdah_balance_ends(howdah_slot *slot);
/* PHP runs since then; 0: it does not. */
void howdah_balance_deaf(uint64_t since_us);
/* One more pool's requests are answered 503 here, and other workers may know better; or one less. */
void howdah_balance_refuses(bool refuses);
/* A listening socket's handler. */
void howdah_balance_connection(ngx_connection_t *c);

/* ---- Worker scripts that end their process while they boot (relapse.c) ---- */

/* In the master; NULL: there is none, or no memory. */
howdah_relapses *howdah_relapses_new(ngx_cycle_t *cycle, const howdah_main_conf *conf);
/* A worker's pools; not yet those whose script has ended the process before. NGX_ERROR was logged. */
ngx_int_t howdah_relapse_make_pools(ngx_cycle_t *cycle, howdah_main_conf *conf);
/* Of a slot that has no pool so far: more than one process in a row has died while its script booted, or one after
 * the boot's time limit. */
bool howdah_relapse_fails(ngx_uint_t slot);
/* The process ends in order. */
void howdah_relapse_stop(void);

/* ---- Text that clients and scripts have chosen (text.c). All async-signal-safe ---- */

/* How many bytes the character that begins at `at`, before `end`, has, at least 1; whether one sees it, and a terminal does
 * nothing else with it. A byte that is no UTF-8 is none. */
size_t howdah_look_at_character(const u_char *at, const u_char *end, bool *is_visible);
/* What one character is at most, escaped: "\xF3\xA0\x80\x81". */
enum { HOWDAH_CHARACTER_MOST = 16 };
/* Puts that character, escaped where it is not visible and no tab, into room of HOWDAH_CHARACTER_MOST bytes, and moves `to`
 * behind it. Returns how many bytes of the text were taken. */
size_t howdah_put_character(u_char **to, const u_char *at, const u_char *end);
/* As much of the text as there is room for. Returns the end of what was put. */
u_char *howdah_put_text(u_char *to, const u_char *room_end, const ngx_str_t *text);

/* ---- The error log (log.c) ---- */

/* From now on lines of the error log that are of this request name its script and its id. */
void howdah_name_in_log(ngx_http_request_t *r);
/* Before the configuration is read. */
ngx_int_t howdah_find_request_id(ngx_conf_t *cf);
/* The number by which the access log knows it. Made when it is first asked for; but not in a signal handler: NULL there, where
 * nobody has asked. */
const ngx_http_variable_value_t *howdah_request_id(ngx_http_request_t *r, bool may_make);
/* As ngx_log_error() to the request's log, for what clients and scripts may have chosen: control characters are escaped. */
void howdah_say(ngx_http_request_t *r, ngx_uint_t level, ngx_err_t error, const char *format, ...);
/* In a realm, before nginx may have something to say: its clock has stood still while PHP computed. Lines of the error log
 * alone go by what it sets. */
void howdah_set_time_of_errors(void);
/* The engine's callbacks (howdah_engine_options). */
void howdah_log_to_nginx(howdah_log_level level, const char *message, size_t len, howdah_request *request);
void howdah_line_to_nginx(const char *line, size_t len, howdah_request *request);

#endif
