/* howdah_slow: a log of slow requests, as php-fpm's request_slowlog_timeout writes it: when one has been served for so long its
 * backtrace and what it waits for; and at its end where its time went.
 *
 * An entry is one write(), so that those of several workers stay whole. It may be made in a signal handler, while C code holds
 * the worker: nothing is allocated, and no function is called that is not for signal handlers, as nginx's own logging. */
#include "module.h"

#include <errno.h>

enum { ENTRY_BYTES = 32 * 1024, FRAMES_MAX = 64, COMPLAIN_EACH_US = 60 * 1000000 };

typedef struct {
  size_t len;
  u_char text[ENTRY_BYTES];
} entry;

static entry made; /* one at a time: on the main stack, or in the handler, which comes only while a coroutine runs */

/* ---- Text ---- */

static void add(entry *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  u_char *at = to->text + to->len;
  to->len = (size_t)(ngx_vslprintf(at, to->text + ENTRY_BYTES, format, arguments) - to->text);
  va_end(arguments);
}

/* What clients and scripts may have chosen. */
static void add_text(entry *to, const char *text, size_t len) {
  const ngx_str_t whole = {len, (u_char *)text};
  to->len = (size_t)(howdah_put_text(to->text + to->len, to->text + ENTRY_BYTES, &whole) - to->text);
}

static void add_str(entry *to, howdah_str text) {
  add_text(to, text.data, text.len);
}

static void add_zero_ended(entry *to, const char *text) {
  add_text(to, text, ngx_strlen(text));
}

static void add_seconds(entry *to, uint64_t us) {
  add(to, "%uL.%03uL s", us / 1000000, us / 1000 % 1000);
}

static void add_function(entry *to, howdah_str class, howdah_str function, bool is_static) {
  add_str(to, class);
  if (class.len) add(to, is_static ? "::" : "->");
  add_str(to, function);
  add(to, "() ");
}

static void add_place(entry *to, howdah_str file, unsigned line) {
  add_str(to, file);
  add(to, ":%ui", (ngx_uint_t)line);
}

static void add_subject(entry *to, howdah_wait_kind kind, const char *subject) {
  static const struct {
    const char *before, *alone;
  } words[HOWDAH_WAIT_KINDS] = {
      [HOWDAH_WAIT_DESCRIPTOR] = {"", "a connection"},        [HOWDAH_WAIT_SLEEP] = {"", "the end of its sleep"},
      [HOWDAH_WAIT_LOCK] = {"the lock of ", "a lock"},        [HOWDAH_WAIT_CHILD] = {"", "a child process"},
      [HOWDAH_WAIT_THREAD] = {"the look-up of ", "a thread"}, [HOWDAH_WAIT_CLIENT] = {"", "its client"}};
  add(to, "%s", subject[0] ? words[kind].before : words[kind].alone);
  add_zero_ended(to, subject);
}

/* ---- The parts of an entry ---- */

static void add_date(entry *to) {
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  ngx_tm_t tm;
  ngx_gmtime(time(NULL) + ngx_cached_time->gmtoff * 60, &tm);
  add(to, "[%02d-%s-%4d %02d:%02d:%02d]", tm.ngx_tm_mday, months[tm.ngx_tm_mon - 1], tm.ngx_tm_year, tm.ngx_tm_hour,
      tm.ngx_tm_min, tm.ngx_tm_sec);
}

/* As php-fpm's: it begins with an empty line, and two blanks follow the date. */
static void begin(entry *to, const howdah_exchange *exchange) {
  to->len = 0;
  add(to, "\n");
  add_date(to);
  add(to, "  [pool ");
  add_text(to, (const char *)exchange->slot->label.data, exchange->slot->label.len);
  add(to, "] pid %P\n", ngx_pid);
}

static void add_request(entry *to, const howdah_exchange *exchange, bool in_handler) {
  ngx_http_request_t *r = exchange->r;
  add_str(to, exchange->request.method);
  add(to, " ");
  add_str(to, exchange->request.request_uri);
  add(to, ", client %V, realm %ui", &r->connection->addr_text, (ngx_uint_t)exchange->request.realm_id);
  const ngx_http_variable_value_t *id = howdah_request_id(r, !in_handler);
  if (id) add(to, ", request_id %v", id);
}

static void tell_place(void *data, const howdah_spot *spot) {
  entry *to = data;
  add(to, ", at ");
  if (spot->function.len) add_function(to, spot->class, spot->function, true);
  add_place(to, spot->file, spot->line);
}

static void tell_frame(void *data, const howdah_frame *frame) {
  entry *to = data;
  add(to, "[0x%016xL] ", (uint64_t)frame->address);
  add_function(to, frame->class, frame->function, frame->is_static);
  add_place(to, frame->file, frame->line);
  add(to, "\n");
}

static void add_doing(entry *to, const howdah_request *request, bool in_c) {
  howdah_doing doing;
  if (in_c) {
    add(to, "holds its worker, in C code");
  } else if (!howdah_request_look(request, &doing) || !doing.waits) {
    add(to, "computes");
  } else {
    add(to, "waits for ");
    add_subject(to, doing.kind, doing.subject);
    add(to, " since ");
    add_seconds(to, doing.us);
  }
  howdah_request_place(request, tell_place, to);
  add(to, "\n");
}

/* What has no room is cut off, and its last line stays one. */
static void write_entry(entry *to, const howdah_exchange *exchange) {
  static uint64_t complained_us;
  if (to->text[to->len - 1] != '\n') to->text[to->len < ENTRY_BYTES ? to->len++ : ENTRY_BYTES - 1] = '\n';
  ssize_t written = write(exchange->slow_log->fd, to->text, to->len);
  if (written == (ssize_t)to->len) return;
  ngx_err_t error = written < 0 ? ngx_errno : 0;
  uint64_t now_us = howdah_loop_now_us();
  if (complained_us && now_us - complained_us < COMPLAIN_EACH_US) return;
  complained_us = now_us;
  ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, error, "howdah: an entry of the log of slow requests, \"%V\", %s",
                &exchange->slow_log->name, written < 0 ? "was not written" : "was cut: is the disk full?");
}

/* ---- The engine's callbacks ---- */

_Static_assert(_Generic(&((howdah_exchange *)NULL)->told_slow, volatile sig_atomic_t *: true, default: false),
               "a signal handler writes it");

void howdah_op_slow(howdah_request *request, uint64_t served_us, bool in_c) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  int error = errno;
  exchange->told_slow = 1;
  howdah_figures_slow(exchange);
  begin(&made, exchange);
  add(&made, "script_filename = ");
  add_text(&made, (const char *)exchange->script_filename.data, exchange->script_filename.len);
  add(&made, "\nrequest = ");
  add_request(&made, exchange, in_c);
  add(&made, "\nslow = ");
  add_seconds(&made, served_us);
  add(&made, ", ");
  add_doing(&made, request, in_c);
  if (!howdah_request_each_frame(request, FRAMES_MAX, tell_frame, &made)) add(&made, "(the rest cannot be read)\n");
  write_entry(&made, exchange);
  errno = error;
}

static void add_waited(entry *to, const howdah_waited *waited) {
  add(to, "waited = ");
  add_seconds(to, waited->us);
  add(to, " for ");
  add_subject(to, waited->kind, waited->subject);
  if (waited->count > 1) {
    add(to, ", %uL times, ", waited->count);
    add_seconds(to, waited->longest_us);
    add(to, " at most");
  }
  if (waited->file[0]) add(to, ", at ");
  add_zero_ended(to, waited->function);
  if (waited->function[0]) add(to, "() ");
  add_zero_ended(to, waited->file);
  if (waited->file[0]) add(to, ":%ui", (ngx_uint_t)waited->line);
  add(to, "\n");
}

void howdah_op_was_slow(howdah_request *request, const howdah_account *account) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  if (!exchange->told_slow) howdah_figures_slow(exchange);
  begin(&made, exchange);
  add(&made, "ended = ");
  add_seconds(&made, account->us);
  add(&made, ", of it waited ");
  add_seconds(&made, account->wait_us);
  add(&made, ", computed ");
  add_seconds(&made, account->us > account->wait_us ? account->us - account->wait_us : 0);
  add(&made, "; before it, in the queue ");
  add_seconds(&made, request->queue_us);
  add(&made, "\nrequest = ");
  add_request(&made, exchange, false);
  add(&made, ", status %i\n", howdah_exchange_status(exchange));
  for (unsigned i = 0; i < account->count; i++)
    add_waited(&made, &account->places[i]);
  write_entry(&made, exchange);
}

/* ---- The configuration ---- */

char *howdah_set_slow_log(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  static const ngx_str_t stderr_name = ngx_string("stderr");
  howdah_loc_conf *location = conf;
  ngx_str_t *words = cf->args->elts, nameless = ngx_null_string;
  (void)command;
  if (location->slow_log != NGX_CONF_UNSET_PTR) return "is duplicate";
  if (words[1].len == 0 || ngx_strlchr(words[1].data, words[1].data + words[1].len, '$'))
    return "takes a file, without variables, or stderr";
  bool to_stderr = words[1].len == stderr_name.len && ngx_strncmp(words[1].data, stderr_name.data, stderr_name.len) == 0;
  location->slow_log = ngx_conf_open_file(cf->cycle, to_stderr ? &nameless : &words[1]);
  return location->slow_log ? NGX_CONF_OK : NGX_CONF_ERROR;
}

/* Beside nginx's error log, or where that goes. */
static ngx_open_file_t *open_default(ngx_conf_t *cf) {
  static const ngx_str_t file = ngx_string("howdah-slow.log");
  const ngx_open_file_t *errors = cf->cycle->new_log.file;
  ngx_str_t folder = ngx_string(NGX_ERROR_LOG_PATH), name;
  if (errors) folder = errors->name;
  if (folder.len == 0) return ngx_conf_open_file(cf->cycle, &folder); /* standard error */
  while (folder.len && folder.data[folder.len - 1] != '/')
    folder.len--;
  name.data = ngx_pnalloc(cf->pool, folder.len + file.len + 1);
  if (!name.data) return NULL;
  name.len = (size_t)(ngx_sprintf(name.data, "%V%V%Z", &folder, &file) - name.data) - 1;
  return ngx_conf_open_file(cf->cycle, &name);
}

char *howdah_merge_slow(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf) {
  ngx_conf_merge_msec_value(conf->slow, above->slow, 0);
  ngx_conf_merge_ptr_value(conf->slow_log, above->slow_log, NGX_CONF_UNSET_PTR);
  if (!conf->slow || conf->slow_log != NGX_CONF_UNSET_PTR || conf->mode == HOWDAH_NO_MODE) return NGX_CONF_OK;
  conf->slow_log = open_default(cf);
  return conf->slow_log ? NGX_CONF_OK : NGX_CONF_ERROR;
}
