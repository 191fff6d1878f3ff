/* The end of a script goes on to its last step, whatever bails out in it.
 *
 * php_request_shutdown() (main/main.c, 8.2, 8.4) catches the bailouts of a step and goes on with the next one. That is enough
 * for shutdown functions, destructors and output handlers, and with 8.2 for extensions (8.4: end_extension()). It is not for
 *  1. resources: one zend_try closes all of them. What is behind the one that bailed out (onClose() of a filter or
 *     stream_close() of a wrapper ends with an error, by exit, or is cancelled) is closed after the objects are gone, and its
 *     callbacks use freed memory: php-cli crashes.
 *  2. objects: the free functions of extensions run outside of any zend_try. A bailout ends the process.
 * So both are done here, one by one, each in its own zend_try, and PHP finds nothing left to do. The place is the one where PHP
 * does it: it closes the files that the compiler has left open, and then resources and objects (shutdown_executor(),
 * Zend/zend_execute_API.c). The first of these files is a mark of ours, whose closing function does the rest.
 *
 * The callbacks of resources run when extensions have ended already. What then crashes in PHP (ob_start(), a filter of PHP
 * code, putenv()) is made whole for them, and what they leave in extensions ends with the realm. */
#include "shutdown.h"
#include "sapi.h"
#include "session.h"
#include "../log.h"

#include <ext/standard/basic_functions.h>
#include <ext/standard/file.h>
#include <main/streams/php_stream_userspace.h>
#include <string.h>

/* False when it bailed out. A function of its own, so that no variable of its caller's is lost. */
static __attribute__((noinline)) bool attempt(void (*step)(void *), void *subject) {
  volatile bool done = false;
  zend_try {
    step(subject);
    done = true;
  }
  zend_end_try();
  return done;
}

/* ---- Files that the compiler has left open: it bailed out ---- */

static void close_files(const zend_llist_element *mark) {
  enum { NO_FILE = UINT8_MAX }; /* equal to none, so that nobody takes it out of the list, which is being walked through */
  for (zend_llist_element *element = mark->next; element; element = element->next) {
    zend_file_handle *file = (zend_file_handle *)element->data;
    attempt(CG(open_files).dtor, file);
    file->type = NO_FILE;
  }
}

/* ---- Resources ---- */

static void remove_filter(void *data) {
  php_stream_filter *filter = data;
  if (filter->res) zend_list_close(filter->res);
  php_stream_filter_remove(filter, true);
}

/* onClose() runs, and may bail out: the filter has left its chain by then. */
static void remove_filters(const php_stream_filter_chain *chain) {
  while (chain->head)
    attempt(remove_filter, chain->head);
}

static bool is_of_php_code(const php_stream *stream) {
  return stream->ops == &php_stream_userspace_ops || stream->ops == &php_stream_userspace_dir_ops;
}

static bool has_filters_of_php_code(const php_stream_filter_chain *chain) {
  for (const php_stream_filter *filter = chain->head; filter; filter = filter->next)
    if (strcmp(filter->fops->label, "user-filter") == 0) return true;
  return false;
}

static bool calls_php_code(const php_stream *stream) {
  return is_of_php_code(stream) || has_filters_of_php_code(&stream->readfilters) ||
         has_filters_of_php_code(&stream->writefilters);
}

static void free_stream(void *stream) {
  php_stream_free((php_stream *)stream, PHP_STREAM_FREE_CLOSE | PHP_STREAM_FREE_RSRC_DTOR);
}

/* PHP code has bailed out while the stream was being closed: its filters are told, and its descriptor is closed, on which there
 * may be a lock. What is not PHP code's calls none when it is closed, so that its close has run wholly, or has not begun
 * (_php_stream_free(), main/streams/ streams.c, 8.2: it flushes, closes, and then removes the filters). */
static void close_rest(php_stream *stream) {
  remove_filters(&stream->readfilters);
  remove_filters(&stream->writefilters);
  if (!stream->abstract || is_of_php_code(stream)) return;
  stream->flags &= ~PHP_STREAM_FLAG_WAS_WRITTEN;
  stream->in_free = 0;
  attempt(free_stream, stream);
}

/* The one that is really closed: a stream within another one ends with that. It stays valid until nothing can bail out any
 * more: the last that its end frees is its context, which a reference keeps. */
static php_stream *hold_stream(const zend_resource *resource) {
  if (resource->type != php_file_le_stream()) return NULL;
  php_stream *stream = resource->ptr;
  while (stream->enclosing_stream)
    stream = stream->enclosing_stream;
  if (stream->ctx) GC_ADDREF(stream->ctx);
  return stream;
}

static void end_resource(void *resource) {
  zend_list_close(resource);
}

static void close_resource(zend_resource *resource) {
  php_stream *stream = hold_stream(resource);
  if (stream && calls_php_code(stream)) howdah_realm_retire(howdah_realm_current());
  if (attempt(end_resource, resource)) return;
  howdah_realm_retire(howdah_realm_current());
  if (stream) close_rest(stream);
}

/* As zend_close_rsrc_list() (Zend/zend_list.c, 8.2): the last one first, and the table may move meanwhile. */
static void close_resources(void) {
  const HashTable *list = &EG(regular_list);
  for (uint32_t i = list->nNumUsed; i-- > 0;) {
    if (i >= list->nNumUsed) continue;
    const zval *slot = ZEND_HASH_ELEMENT(list, i);
    if (Z_TYPE_P(slot) != IS_UNDEF && Z_RES_TYPE_P(slot) >= 0) close_resource(Z_PTR_P(slot));
  }
}

static void forget_each(const php_stream_filter_chain *chain) {
  for (php_stream_filter *filter = chain->head; filter; filter = filter->next)
    filter->res = NULL;
}

void howdah_shutdown_forget_filters(const php_stream *stream) {
  forget_each(&stream->readfilters);
  forget_each(&stream->writefilters);
}

static void forget_all_filters(void) {
  const zend_resource *resource;
  ZEND_HASH_FOREACH_PTR(&EG(persistent_list), resource) {
    if (resource->type == php_file_le_pstream()) howdah_shutdown_forget_filters(resource->ptr);
  }
  ZEND_HASH_FOREACH_END();
}

/* ---- Objects ---- */

static void end_values(void *unused) {
  (void)unused;
  zend_shutdown_executor_values(true);
}

/* Goes on behind the object that bailed out: it is marked as freed before that is begun. Where a module was loaded by dl(), or
 * memory is not PHP's, PHP frees constants and statics before. */
static void free_objects(void) {
  if (!is_zend_mm() || EG(full_tables_cleanup)) return;
  while (!attempt(end_values, NULL)) {
  }
}

/* ---- What has ended before ---- */

/* What is printed goes nowhere, as under php-fpm. The names of filters of PHP code are unknown: what they stand for is gone
 * (RSHUTDOWN of ext/standard, 8.2). */
static void begin_again(void) {
  HashTable *filters = FG(stream_filters), *environment = &BG(putenv_ht);
  php_output_activate();
  php_output_set_status(PHP_OUTPUT_DISABLED);
  if (filters) {
    zend_hash_destroy(filters);
    FREE_HASHTABLE(filters);
    FG(stream_filters) = NULL;
  }
  zend_hash_init(environment, 1, NULL, environment->pDestructor, false);
}

static void end_again(void *unused) {
  (void)unused;
  zend_hash_destroy(&BG(putenv_ht));
  php_output_deactivate();
}

static void close_session(void *unused) {
  (void)unused;
  howdah_session_close(zend_hash_str_find_ptr(&module_registry, "session", sizeof("session") - 1));
}

static void close_all(void *mark) {
  (void)mark;
  attempt(close_session, NULL);
  begin_again();
  close_files(CG(open_files).head);
  EG(flags) |= EG_FLAGS_IN_RESOURCE_SHUTDOWN;
  close_resources();
  /* No PHP code runs from here on. What the callbacks have opened is closed without theirs. */
  EG(active) = false;
  close_resources();
  forget_all_filters();
  attempt(end_again, NULL);
  free_objects();
}

bool howdah_shutdown_is_mark(const zend_file_handle *file) {
  return file->type == ZEND_HANDLE_STREAM && file->handle.stream.closer == close_all;
}

void howdah_shutdown_prepare(void) {
  static char mark;
  const zend_file_handle file = {.type = ZEND_HANDLE_STREAM, .handle.stream = {.handle = &mark, .closer = close_all}};
  zend_llist_prepend_element(&CG(open_files), &file);
}

/* ---- Extensions' ends ---- */

enum { MODULES_MAX = 256 };
static zend_result (*extension_ends[MODULES_MAX])(int, int);

/* In the place of an extension's own. PHP 8.4.28 ends the process (_exit(1)) where one bails out in zend_deactivate_modules(),
 * 8.2 goes on with the next. Elsewhere (between.c, remains.c) it is for the caller to catch. */
static zend_result end_extension(int type, int number) {
  const howdah_realm *realm = howdah_realm_current();
  if (!realm || !(EG(flags) & EG_FLAGS_IN_SHUTDOWN)) return extension_ends[number](type, number);
  zend_try {
    extension_ends[number](type, number);
  }
  zend_end_try();
  return SUCCESS;
}

void howdah_shutdown_install(void) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    /* A second start in one process finds the first one's. */
    if (!module->request_shutdown_func || module->request_shutdown_func == end_extension) continue;
    if (module->module_number < 0 || module->module_number >= MODULES_MAX) continue;
    extension_ends[module->module_number] = module->request_shutdown_func;
    module->request_shutdown_func = end_extension;
  }
  ZEND_HASH_FOREACH_END();
}

void howdah_shutdown_run(howdah_realm *realm) {
  bool is_whole = attempt(php_request_shutdown, NULL);
  if (realm->coroutine.maps) howdah_realm_retire(realm); /* suspended Fibers, whose stacks PHP has forgotten (hooks/map.c) */
  if (is_whole) return;
  /* What was left out would have given back the heap and the tables: they end with the realm. */
  howdah_log(HOWDAH_LOG_ERROR, realm->request,
             "howdah: a fatal error between two steps of the request's end: its realm ends, see the log lines above");
  howdah_realm_retire(realm);
}
