/* The mark, and going back. See rewind.h.
 *
 * The C stack is copied from the mark up: between two calls of frankenphp_handle_request() PHP's frames on it have gone on. The
 * copy is put back from a frame that lies below all of it. */
#include "rewind.h"
#include "heap.h"
#include "shutdown.h"
#include "../check.h"
#include "../hooks/child.h"
#include "../log.h"
#include "../realm/pool.h"
#include "../state/chunks.h"
#include "../state/snapshot.h"
#include "../state/snapshot_parts.h"
#include "../state/version.h"

#include <ext/session/php_session.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct howdah_rewind {
  jmp_buf registers;
  bool fresh;      /* nothing was put back yet */
  char *stack_low; /* where the mark's frame begins */
  char *stack_copy;
  size_t stack_bytes;
  uint64_t alarm_us;
  const zend_ini_entry *encoding_entries[HOWDAH_ENCODINGS];
  uint64_t encodings;                   /* howdah_rewind_encodings() */
  const struct howdah_block_copy *both; /* mbstring's block; NULL: there is none */
  bool has_ticks;                       /* functions of register_tick_function(): their list is malloc'ed (main/php_ticks.c) */
};

enum { MODULES_MAX = 128 };

/* Modules whose request ends and begins between two, as in a php-fpm child: their memory is kept. */
static zend_module_entry *cycled[MODULES_MAX];
static size_t cycled_count;
static zend_module_entry *patterns; /* ext/pcre, where its cache is the realm's and may point to the request's heap */

/* Both: it ends and begins, and then its block is put back. Its patterns are in a table on the request's heap whose header is
 * malloc'ed (ext/mbstring/php_mbregex.c, PHP_RINIT_FUNCTION(mb_regex), 8.2, unchanged in 8.4), and what the boot has said of
 * encodings is in its block. */
static const char both[] = "mbstring";

static bool is_left_alone(const zend_module_entry *module) {
  /* The first three are ended and begun with each request in worker mode (worker.c). What the others end is memory that is put
   * back; persistent streams are told by forget_streams(). */
  static const char *const names[] = {"session", "filter",   "zlib", "standard",     "core",
                                      "howdah",  "cgi-fcgi", "spl",  "zend opcache", "tidy"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (strcasecmp(module->name, names[i]) == 0) return true;
  return howdah_snapshot_has_module(module->name) && strcmp(module->name, both) != 0;
}

static bool find_modules(void) {
  static bool found;
  zend_module_entry *module;
  if (found) return true;
  ZEND_HASH_MAP_FOREACH_PTR(&module_registry, module) {
    if (HOWDAH_PCRE_CACHE_PRIVATE && strcasecmp(module->name, "pcre") == 0) patterns = module;
    if (!module->request_startup_func && !module->request_shutdown_func && !module->post_deactivate_func) continue;
    if (is_left_alone(module)) continue;
    if (cycled_count == MODULES_MAX) return false;
    cycled[cycled_count++] = module;
  }
  ZEND_HASH_FOREACH_END();
  return found = true;
}

/* Its request ends, and does not begin: what begins is put back. */
static void end_patterns(void) {
  if (!patterns || !patterns->request_shutdown_func) return;
  zend_try {
    patterns->request_shutdown_func(patterns->type, patterns->module_number);
  }
  zend_end_try();
}

/* Whatever one of them does, the others end. */
static void end_each(void) {
  volatile size_t left = cycled_count;
  while (left > 0) {
    zend_try {
      while (left > 0)
        if (cycled[--left]->request_shutdown_func)
          cycled[left]->request_shutdown_func(cycled[left]->type, cycled[left]->module_number);
    }
    zend_end_try();
  }
}

static void end_modules(void) {
  if (!howdah_snapshot_has_part(HOWDAH_PART_MODULES)) return;
  end_each();
  end_patterns();
  for (size_t i = cycled_count; i-- > 0;)
    if (cycled[i]->post_deactivate_func) cycled[i]->post_deactivate_func();
}

static void begin_modules(const howdah_rewind *rewind) {
  if (!howdah_snapshot_has_part(HOWDAH_PART_MODULES)) return;
  for (size_t i = 0; i < cycled_count; i++)
    if (cycled[i]->request_startup_func) cycled[i]->request_startup_func(cycled[i]->type, cycled[i]->module_number);
  howdah_snapshot_put_block_back(rewind->both);
}

/* Blocks of these modules are kept, and still have the request's value. So is tidy's; and pcre's settings are written beside its
 * block into a malloc'ed match context, too (OnUpdateBacktrackLimit(), ext/pcre/php_pcre.c, 8.2, unchanged in 8.4). */
static bool keeps_settings(const zend_module_entry *module) {
  return !is_left_alone(module) || strcasecmp(module->name, "pcre") == 0 || strcasecmp(module->name, "tidy") == 0;
}

static void tell_module(zend_ini_entry *entry) {
  const zend_module_entry *module, *owner = NULL;
  ZEND_HASH_MAP_FOREACH_PTR(&module_registry, module) {
    if (module->module_number == entry->module_number) owner = module;
  }
  ZEND_HASH_FOREACH_END();
  if (!owner || !keeps_settings(owner) || !entry->on_modify) return;
  entry->on_modify(entry, entry->value, entry->mh_arg1, entry->mh_arg2, entry->mh_arg3, ZEND_INI_STAGE_DEACTIVATE);
}

/* ---- The mark ---- */

static bool is_on_stack(const howdah_realm *realm, const void *address) {
  const howdah_stack *stack = &realm->coroutine.stack;
  return (const char *)address >= stack->low && (const char *)address < stack->low + stack->bytes;
}

static void refuse(howdah_realm *realm, const char *why) {
  if (realm->pool->rewind_told) return;
  realm->pool->rewind_told = true;
  howdah_log(HOWDAH_LOG_WARNING, NULL,
             "howdah: %s cannot be rewound: %s. It is served in worker mode without rewind: what a request leaves behind, the "
             "next one finds",
             realm->pool->script, why);
}

static void close_file(zend_file_handle *file) {
  if (file->type != ZEND_HANDLE_STREAM || !file->handle.stream.handle || howdah_shutdown_is_mark(file)) return;
  if (file->handle.stream.closer) file->handle.stream.closer(file->handle.stream.handle);
  file->handle.stream.handle = NULL;
}

/* Files whose code runs: PHP needs them no more, and would close them when the script ends. */
static void close_script(void) {
  zend_llist_position at;
  for (zend_file_handle *file = zend_llist_get_first_ex(&CG(open_files), &at); file;
       file = zend_llist_get_next_ex(&CG(open_files), &at))
    close_file(file);
}

static zend_op_array *(*compile)(zend_file_handle *file, int type);

/* A file that opcache knew stays open until the script ends, and PHP does not list it with the others. */
static zend_op_array *compile_and_close(zend_file_handle *file, int type) {
  zend_op_array *code = compile(file, type);
  const howdah_realm *realm = howdah_realm_current();
  if (!file->in_list && realm && realm->pool->rewinds && !realm->booted) close_file(file);
  return code;
}

void howdah_rewind_prepare(void) {
  if (compile) return;
  compile = zend_compile_file;
  zend_compile_file = compile_and_close;
  howdah_rewind_watch();
}

static bool prepare(howdah_realm *realm, char *why, size_t size) {
  int here = 0;
  snprintf(why, size, "memory is short");
  if (!is_on_stack(realm, &here)) {
    snprintf(why, size, "its script asks for requests within a Fiber");
    return false;
  }
  if (!find_modules()) {
    snprintf(why, size, "more than %d extensions are loaded", MODULES_MAX);
    return false;
  }
  close_script();
  if (howdah_rewind_obstacle(why, size)) return false;
  realm->rewind = calloc(1, sizeof(*realm->rewind));
  return realm->rewind != NULL;
}

/* Frames that ASan watches lie among them. */
#define COPIES_STACK __attribute__((noinline, no_sanitize_address, optimize("no-tree-loop-distribute-patterns")))

typedef uint64_t stack_words __attribute__((vector_size(16), may_alias)); /* as the stack is aligned */

COPIES_STACK static void copy_words(stack_words *to, const stack_words *from, size_t bytes) {
  size_t i = 0, count = bytes / sizeof(*to);
  for (; i + 4 <= count; i += 4) {
    stack_words a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];
    to[i] = a, to[i + 1] = b, to[i + 2] = c, to[i + 3] = d;
  }
  for (; i < count; i++)
    to[i] = from[i];
}

/* From this frame up. It returns for each request anew, in registers and on a stack as they were the first time. */
__attribute__((noinline)) static bool stand(howdah_realm *realm) {
  howdah_rewind *rewind = realm->rewind;
  const howdah_stack *stack = &realm->coroutine.stack;
  enum { BELOW = 256 }; /* more than the frame takes below its own address: the registers that it has saved */
  rewind->stack_low = (char *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15) - BELOW;
  rewind->stack_bytes = (size_t)(stack->low + stack->bytes - rewind->stack_low);
  rewind->stack_copy = malloc(rewind->stack_bytes);
  if (!rewind->stack_copy) return false;
  if (_setjmp(rewind->registers) == 0)
    copy_words((stack_words *)rewind->stack_copy, (const stack_words *)rewind->stack_low, rewind->stack_bytes);
  return true;
}

/* Below all that is put back. */
COPIES_STACK __attribute__((noreturn)) static void jump(const howdah_rewind *rewind) {
  copy_words((stack_words *)rewind->stack_low, (const stack_words *)rewind->stack_copy, rewind->stack_bytes);
  _longjmp(*(jmp_buf *)&rewind->registers, 1);
}

__attribute__((noinline, noreturn)) static void leap(const howdah_rewind *rewind) {
  enum { MARGIN = 4096 };
  char *here = __builtin_frame_address(0), *below = rewind->stack_low - MARGIN;
  if (here > below) {
    volatile char *room = __builtin_alloca((size_t)(here - below));
    room[0] = 0;
  }
  jump(rewind);
}

__attribute__((noreturn)) static void go_back(howdah_realm *realm) {
  realm->rewind->fresh = false;
  end_modules();
  howdah_snapshot_put_back(&realm->state);
  leap(realm->rewind);
}

void howdah_rewind_mark(howdah_realm *realm) {
  char why[512];
  if (!prepare(realm, why, sizeof(why))) {
    refuse(realm, why);
    return;
  }
  realm->rewind->alarm_us = realm->coroutine.alarm_us;
  howdah_rewind_find_encodings(realm->rewind->encoding_entries);
  realm->rewind->encodings = howdah_rewind_encodings(realm->rewind->encoding_entries);
  realm->rewind->has_ticks = zend_llist_count(&PG(tick_functions)) > 0;
  realm->rewind->fresh = true;
  if (!howdah_snapshot_take(&realm->state, why, sizeof(why))) {
    refuse(realm, why);
    howdah_rewind_free(realm);
    return;
  }
  realm->rewind->both = howdah_snapshot_find_block(&realm->state, both);
  if (!stand(realm)) {
    refuse(realm, "memory is short");
    howdah_rewind_free(realm);
    return;
  }
  /* The first request begins as all others do. */
  if (realm->rewind->fresh) go_back(realm);
  if (howdah_snapshot_has_part(HOWDAH_PART_SETTINGS)) howdah_snapshot_each_setting(&realm->state, tell_module);
  begin_modules(realm->rewind);
}

void howdah_rewind_free(howdah_realm *realm) {
  howdah_snapshot_free(&realm->state);
  if (!realm->rewind) return;
  free(realm->rewind->stack_copy);
  free(realm->rewind);
  realm->rewind = NULL;
}

/* ---- Going back ---- */

/* Nobody else holds the object: it ends with the variable. One of the script that runs is in its frame. */
static bool is_dropped(Bucket *variable) {
  zval *value = Z_TYPE(variable->val) == IS_INDIRECT ? Z_INDIRECT(variable->val) : &variable->val;
  if (Z_TYPE_P(value) != IS_OBJECT || Z_REFCOUNT_P(value) != 1) return false;
  if (value == &variable->val) return true;
  zval object;
  ZVAL_COPY_VALUE(&object, value);
  ZVAL_UNDEF(value);
  zval_ptr_dtor(&object);
  return false;
}

/* The last one first, as long as there are fewer or more of them: PHP's shutdown_destructors() (Zend/zend_execute_API.c, 8.2, unchanged in
 * 8.4) is for a script that has ended. */
static void drop_globals(void) {
  HashTable *globals = &EG(symbol_table);
  uint32_t before, count = zend_array_count(globals);
  do {
    before = count;
    for (uint32_t i = globals->nNumUsed; i-- > 0;)
      if (i < globals->nNumUsed && is_dropped(&globals->arData[i])) zend_hash_del_bucket(globals, &globals->arData[i]);
    count = zend_array_count(globals);
  } while (count != before);
}

void howdah_rewind_destruct(void) {
  if (!howdah_snapshot_has_part(HOWDAH_PART_DESTRUCTORS)) return;
  zend_try {
    drop_globals();
    zend_objects_store_call_destructors(&EG(objects_store));
  }
  zend_catch {
    zend_objects_store_mark_destructed(&EG(objects_store));
    zend_bailout();
  }
  zend_end_try();
}

/* Streams need their wrappers as long as any is open. */
static bool is_open(const zend_resource *resource) {
  return resource->type >= 0 && !howdah_rewind_is_wrapper(resource);
}

/* As zend_close_rsrc_list() (Zend/zend_list.c, 8.2): the last one first, and the table may move meanwhile. */
static void close_resources(void) {
  const HashTable *list = &EG(regular_list);
  for (uint32_t i = list->nNumUsed; i-- > 0;) {
    if (i >= list->nNumUsed) continue;
    const zval *slot = ZEND_HASH_ELEMENT(list, i);
    if (Z_TYPE_P(slot) != IS_UNDEF && is_open(Z_PTR_P(slot))) zend_list_close(Z_PTR_P(slot));
  }
}

static bool has_session(void) {
  const zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, "session", sizeof("session") - 1);
  return module && ((const php_ps_globals *)module->globals_ptr)->session_status == php_session_active;
}

/* zend_objects_store_free_object_storage() (Zend/zend_objects_API.c, 8.2), but for those whose end is the end of their memory:
 * they are most. */
static void free_objects(void) {
  const zend_objects_store *store = &EG(objects_store);
  for (uint32_t i = store->top; i-- > 1;) {
    zend_object *object = store->object_buckets[i];
    if (!IS_OBJ_VALID(object) || OBJ_FLAGS(object) & IS_OBJ_FREE_CALLED) continue;
    if (howdah_rewind_is_plain(object->handlers->free_obj)) continue;
    GC_ADD_FLAGS(object, IS_OBJ_FREE_CALLED);
    GC_ADDREF(object);
    object->handlers->free_obj(object);
  }
}

/* A stream that outlives its request names the request's resource (forget_persistent_resource_id_numbers(),
 * main/streams/streams.c, 8.2). */
static void forget_streams(void) {
  zend_resource *resource;
  if (zend_hash_num_elements(&EG(persistent_list)) == 0) return;
  ZEND_HASH_FOREACH_PTR(&EG(persistent_list), resource) {
    if (resource->type != php_file_le_pstream()) continue;
    php_stream *stream = resource->ptr;
    stream->res = NULL;
    stream->ctx = NULL; /* closed with the others */
    howdah_shutdown_forget_filters(stream);
  }
  ZEND_HASH_FOREACH_END();
}

static void replace(howdah_realm *realm, const char *what) {
  if (!realm->pool->rewind_told)
    howdah_log(
        HOWDAH_LOG_WARNING, NULL,
        "howdah: a request of %s has changed what rewind does not put back (%s): its realm is replaced, as after each such "
        "request",
        realm->pool->script, what);
  realm->pool->rewind_told = true;
  howdah_realm_retire(realm);
}

static const char *change(howdah_realm *realm) {
  const char *what = howdah_rewind_spoiled();
  if (!what && howdah_rewind_encodings(realm->rewind->encoding_entries) != realm->rewind->encodings)
    what = "default_charset, or another encoding";
  return what ? what : howdah_snapshot_process_misfit(&realm->state);
}

bool howdah_rewind_may_go_back(howdah_realm *realm) {
  int here = 0;
  const char *what = is_on_stack(realm, &here) ? change(realm) : "its script asked for the next one within a Fiber";
  if (what) replace(realm, what);
  return !what;
}

/* After streams of PHP code were closed. */
static const char *late_change(howdah_realm *realm) {
  if (has_session()) return "a session that began when a stream was closed";
  return change(realm);
}

/* What only the end of its objects tells. */
static const char *misfit(howdah_realm *realm) {
  howdah_stack *stack = &realm->coroutine.stack;
  /* Else its memory would stay until PHP code is interrupted next. */
  howdah_depth_close(&stack->depth, __builtin_frame_address(0), stack->low + stack->bytes);
  if (howdah_depth_is_open(&stack->depth)) return "the depth of the C stack";
  if (realm->coroutine.maps) return "a Fiber that nobody can destroy";
  return howdah_snapshot_misfit(&realm->state);
}

/* What is the realm's beyond PHP: as between two requests of classic mode. */
static void leave_behind(howdah_realm *realm) {
  zend_unset_timeout();
  if (!realm->rewind->has_ticks) zend_llist_clean(&PG(tick_functions));
  howdah_settings_forget(&realm->state.settings);
  howdah_openssl_leave(&realm->state.openssl);
  realm->state.openssl.count = 0;
  howdah_children_leave(&realm->coroutine);
  realm->coroutine.alarm_us = realm->rewind->alarm_us;
}

/* The script ends, as with a fatal error, and without PHP code: its objects have had their destructors, and may have ended. */
ZEND_NORETURN static void give_up(howdah_realm *realm, const char *what) {
  replace(realm, what);
  php_free_shutdown_functions();
  php_output_deactivate();
  zend_objects_store_mark_destructed(&EG(objects_store));
  zend_bailout();
}

void howdah_rewind_back(howdah_realm *realm) {
  /* What is printed goes nowhere, as under php-fpm. */
  php_output_activate();
  php_output_set_status(PHP_OUTPUT_DISABLED);
  if (howdah_snapshot_has_part(HOWDAH_PART_RESOURCES)) {
    close_resources();
    /* What their callbacks have opened is closed without theirs. No PHP code runs from here on. */
    EG(active) = false;
    close_resources();
  }
  const char *what = late_change(realm);
  if (what) give_up(realm, what);
  if (howdah_snapshot_has_part(HOWDAH_PART_OBJECTS)) free_objects();
  what = misfit(realm);
  if (what) give_up(realm, what);
  forget_streams();
  leave_behind(realm);
  go_back(realm);
}
