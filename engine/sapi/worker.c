/* Worker mode: a script boots once per realm, then asks for requests with frankenphp_handle_request() (FrankenPHP's protocol).
 *
 * Invariants:
 *  1. Between two requests of a realm, what belongs to a request is gone: output buffers, headers, superglobals, session,
 *     uploads, php://input, shutdown functions, the last error, the time limit. What the script does before it asks for the
 *     next one has no client (between.c).
 *  2. What the script made while it booted stays: it is the application.
 *  3. A request that ends by exit, an uncaught exception or a fatal error unwinds the whole script: the realm is replaced. That
 *     also holds for what runs at a request's end (shutdown functions, output and session handlers): as in
 *     php_request_shutdown(), it has no caller. */
#include "sapi.h"
#include "../hooks/restart.h"
#include "../log.h"
#include "../realm/front.h"
#include "../realm/pool.h"
#include "ahead.h"
#include "between.h"
#include "fpm.h"
#include "heap.h"
#include "jit.h"
#include "remains.h"
#include "rewind.h"
#include "run.h"
#include "session.h"
#include "shutdown.h"

#include <ext/session/php_session.h>
#include <ext/spl/spl_exceptions.h>

/* ---- Between two requests ---- */

/* These modules begin and end a request between two requests: php_request_shutdown() would do it for all. Of others see
 * remains.h. */
static struct {
  zend_module_entry *session, *filter, *zlib, *tidy; /* NULL: not loaded */
  bool found;
} modules;

static void find_modules(void) {
  modules.session = zend_hash_str_find_ptr(&module_registry, "session", sizeof("session") - 1);
  modules.filter = zend_hash_str_find_ptr(&module_registry, "filter", sizeof("filter") - 1);
  modules.zlib = zend_hash_str_find_ptr(&module_registry, "zlib", sizeof("zlib") - 1);
  modules.tidy = zend_hash_str_find_ptr(&module_registry, "tidy", sizeof("tidy") - 1);
  howdah_remains_start();
  modules.found = true;
}

static void forget_last_error(void) {
  PG(last_error_type) = 0;
  PG(last_error_lineno) = 0;
  if (PG(last_error_message)) zend_string_release(PG(last_error_message));
  if (PG(last_error_file)) zend_string_release(PG(last_error_file));
  PG(last_error_message) = NULL;
  PG(last_error_file) = NULL;
}

/* Scripts may do what is left to be done between two requests, after their client has its answer (FrankenPHP's documentation:
 * "do something after sending the HTTP response"). Where they ask for the next one at once, the answer leaves when the realm is
 * asked to wait: maybe with others. */
static void send_answer(howdah_realm *realm) {
  if (!realm->returns_soon) howdah_front_end_response(realm);
}

static void learn_return(howdah_realm *realm) {
  enum { SOON_US = 20 };
  realm->returns_soon = realm->left_us && howdah_loop_now_us() - realm->left_us <= SOON_US;
}

/* The steps of php_request_shutdown() that do not end the script (main/main.c, 8.2), in its order. */
static void leave_request(howdah_realm *realm) {
  php_output_end_all();
  zend_unset_timeout();
  howdah_remains_end_in(modules.session);
  howdah_session_ended(realm, modules.session);
  howdah_remains_end_in(modules.filter);
  howdah_remains_end_in(modules.zlib); /* remembers the encodings that a client takes */
  howdah_remains_end();
  /* Without a session, the next request must not see this one's: the variable outlives its module (php_session_track_init()). */
  zend_hash_str_del(&EG(symbol_table), "_SESSION", sizeof("_SESSION") - 1);
  php_output_deactivate();
  if (SG(request_info).request_body) {
    php_stream_close(SG(request_info).request_body);
    SG(request_info).request_body = NULL;
  }
  sapi_deactivate();
  forget_last_error();
  howdah_sapi_request_end();
  send_answer(realm);
  howdah_realm_request_done(realm);
  realm->left_us = howdah_loop_now_us();
}

/* php_request_startup()'s choice of an output handler. */
static void start_output(void) {
  php_output_activate();
  if (PG(expose_php)) sapi_add_header(SAPI_PHP_VERSION_HEADER, sizeof(SAPI_PHP_VERSION_HEADER) - 1, 1);
  if (PG(output_handler) && PG(output_handler)[0]) {
    zval handler;
    ZVAL_STRING(&handler, PG(output_handler));
    php_output_start_user(&handler, 0, PHP_OUTPUT_HANDLER_STDFLAGS);
    zval_ptr_dtor(&handler);
  } else if (PG(output_buffering)) {
    php_output_start_user(NULL, PG(output_buffering) > 1 ? PG(output_buffering) : 0, PHP_OUTPUT_HANDLER_STDFLAGS);
  } else if (PG(implicit_flush)) {
    php_output_set_implicit_flush(1);
  }
}

/* $_ENV stays: what the boot has set in it (dotenv) or taken out of it (secrets) is the application's, as under FrankenPHP
 * (frankenphp_reset_super_globals(), frankenphp.c, 1.11). One that nobody has named yet is made when somebody does. */
typedef struct {
  zend_auto_global *global, before;
  zval array;
} environment;

static environment hold_environment(void) {
  environment held = {.global = zend_hash_find_ptr(CG(auto_globals), ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_ENV))};
  held.before = *held.global;
  ZVAL_COPY_VALUE(&held.array, &PG(http_globals)[TRACK_VARS_ENV]);
  held.global->jit = false;
  held.global->auto_global_callback = NULL;
  return held;
}

static void let_go_environment(const environment *held) {
  *held->global = held->before;
  ZVAL_COPY_VALUE(&PG(http_globals)[TRACK_VARS_ENV], &held->array);
}

/* The modules count as not yet active, as in php_request_startup(): for others ext/session tells nothing of an upload's
 * progress (8.2.36). */
static void read_request(void) {
  const environment held = hold_environment();
  PG(modules_activated) = 0;
  zend_try {
    php_hash_environment();
  }
  zend_catch {
    let_go_environment(&held);
    PG(modules_activated) = 1;
    zend_bailout();
  }
  zend_end_try();
  let_go_environment(&held);
  PG(modules_activated) = 1;
}

/* Whether code of this realm has named it: then it is not armed any more (zend_is_auto_global(), Zend/zend_compile.c, 8.2). */
static bool is_in_use(zend_string *name) {
  const zend_auto_global *global = zend_hash_find_ptr(CG(auto_globals), name);
  return global && !global->armed;
}

/* $_SERVER and $_REQUEST are made for code that names them, when it is compiled or loaded (auto_globals_jit). Code that is
 * there already does not ask again: what it has once asked for is made anew for each request, and what nobody in the realm has
 * named is not. */
static void renew_superglobals(void) {
  zend_string *late[] = {ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER), ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_REQUEST)};
  enum { LATE = sizeof(late) / sizeof(*late) };
  bool in_use[LATE];
  for (size_t i = 0; i < LATE; i++)
    in_use[i] = is_in_use(late[i]);
  for (int i = 0; i < NUM_TRACK_VARS; i++) {
    if (i == TRACK_VARS_ENV) continue;
    zval_ptr_dtor_nogc(&PG(http_globals)[i]);
    ZVAL_UNDEF(&PG(http_globals)[i]);
  }
  read_request();
  for (size_t i = 0; i < LATE; i++)
    if (in_use[i]) zend_is_auto_global(late[i]);
}

/* What PHP complains of while it takes a request in (a malformed form, too many variables) has no place in the script, and is
 * not for the application's error handler: its exception would end the worker script. As php_request_startup() (main/main.c,
 * 8.2). */
static void take_in(void) {
  zend_execute_data *caller = EG(current_execute_data);
  zval handler;
  ZVAL_COPY_VALUE(&handler, &EG(user_error_handler));
  ZVAL_UNDEF(&EG(user_error_handler));
  EG(current_execute_data) = NULL;
  PG(during_request_startup) = 1;
  start_output();
  howdah_remains_begin_in(modules.filter);
  renew_superglobals();
  howdah_remains_begin_in(modules.zlib);
  howdah_remains_begin_in(modules.tidy); /* tidy.clean_output */
  PG(during_request_startup) = 0;
  EG(current_execute_data) = caller;
  ZVAL_COPY_VALUE(&EG(user_error_handler), &handler);
}

/* The steps of php_request_startup() that do not begin a script. False when memory is short. */
static bool enter_request(howdah_realm *realm) {
  if (!howdah_sapi_request_begin(realm)) return false;
  PG(header_is_being_sent) = 0;
  PG(connection_status) = PHP_CONNECTION_NORMAL;
  sapi_activate();
  howdah_remains_forget();
  SG(sapi_started) = 1;
  zend_set_timeout(EG(timeout_seconds), 0); /* 0: no signal handler is installed (engine/hooks/deadline.c) */
  take_in();
  howdah_remains_begin_in(modules.session);
  zend_memory_reset_peak_usage();
  howdah_ahead_look(realm);
  return true;
}

/* ---- Shutdown functions: those of the boot wait for the script's end, a request's own run at its end ---- */

/* But for a request that is put back: it ends as the script's, and the boot's functions run with its own. */
static void set_boot_functions_aside(howdah_realm *realm) {
  if (realm->rewind) return;
  realm->boot_functions = BG(user_shutdown_function_names);
  BG(user_shutdown_function_names) = NULL;
}

static void run_shutdown_functions(howdah_realm *realm) {
  php_call_shutdown_functions();
  php_free_shutdown_functions();
  if (realm->rewind) return;
  BG(user_shutdown_function_names) = realm->boot_functions;
  realm->boot_functions = NULL;
}

/* The script ends in the middle of a request: both kinds run, the boot's first, as they were registered. */
static void join_shutdown_functions(howdah_realm *realm) {
  HashTable *boot = realm->boot_functions, *own = BG(user_shutdown_function_names);
  realm->boot_functions = NULL;
  if (!boot) return;
  BG(user_shutdown_function_names) = boot;
  if (!own) return;
  void *function;
  ZEND_HASH_FOREACH_PTR(own, function) {
    zend_hash_next_index_insert_ptr(boot, function);
  }
  ZEND_HASH_FOREACH_END();
  own->pDestructor = NULL;
  zend_hash_destroy(own);
  FREE_HASHTABLE(own);
}

/* ---- Waiting for a request ---- */

/* Collects reference cycles. Destructors may run, print (to the log), wait, and end the script: then EG(exception) is set. What
 * nobody catches is logged, and the application goes on. */
static void collect(howdah_realm *realm) {
  realm->request = howdah_boot_request(realm);
  if (!realm->request) return; /* memory is short: another time */
  if (!howdah_sapi_request_begin(realm)) {
    howdah_realm_request_done(realm);
    return;
  }
  sapi_activate();
  php_output_activate();
  zend_set_timeout(EG(timeout_seconds), 0);
  int collected = gc_collect_cycles();
  if (EG(exception) && !zend_is_unwind_exit(EG(exception))) zend_exception_error(EG(exception), E_ERROR);
  if (EG(exception) && zend_is_unwind_exit(EG(exception))) return;
  if (EG(exception)) zend_clear_exception(); /* thrown while that was said */
  leave_request(realm);
  if (zend_memory_usage(true) > realm->heap_tidy) howdah_heap_give_back();
  howdah_garbage_told(realm, (unsigned)collected);
}

/* What the boot has used of the heap and the stacks, or the JIT since then: some 100 KB for a trace. */
static void give_back(howdah_realm *realm) {
  if (!realm->rewind) howdah_heap_give_back(); /* else it is as it had booted */
  howdah_stack_forget(&realm->coroutine.stack);
  realm->coroutine.compiled = false;
}

/* False when the script is to end. */
static bool wait_for_request(howdah_realm *realm) {
  for (;;) {
    /* What PHP's compiler alone has used, each request that compiles uses again: where opcache is full, all of them do. */
    if (realm->coroutine.compiled && howdah_jit_runs()) give_back(realm);
    howdah_heap_measure(realm);
    if (howdah_realm_next_request(realm)) return true;
    if (howdah_realm_retires(realm)) return false;
    realm->tidy = false;
    collect(realm);
    if (EG(exception)) return false;
    realm->heap_tidy = zend_memory_usage(true);
    realm->used_tidy = zend_memory_usage(false);
  }
}

/* ---- frankenphp_handle_request() ---- */

/* An exception that nobody caught ends the script, as it does under php-fpm; nothing in the worker script may catch it. */
static void report_uncaught(void) {
  if (Z_TYPE(EG(user_exception_handler)) != IS_UNDEF) zend_user_exception_handler();
  if (EG(exception) && !zend_is_unwind_exit(EG(exception))) zend_exception_error(EG(exception), E_ERROR);
}

/* Exceptions that its end throws are errors: nothing of the worker script may catch them; and nothing of it may go on after a
 * bailout, which leaves neither the frames nor the stack of the VM as they were. False when the script has to end. */
static bool end_request(howdah_realm *realm) {
  zend_execute_data *caller = EG(current_execute_data);
  bool well = !EG(exception);
  EG(current_execute_data) = NULL;
  if (well) {
    run_shutdown_functions(realm);
    if (CG(unclean_shutdown)) zend_bailout();
    leave_request(realm);
    if (CG(unclean_shutdown)) zend_bailout();
    howdah_between_begin();
  } else if (!zend_is_unwind_exit(EG(exception))) {
    report_uncaught();
  }
  EG(current_execute_data) = caller;
  return well;
}

/* The script has asked for the first time. Garbage would be there for each request. False when it is to end. */
__attribute__((noinline, cold)) static bool leave_boot(howdah_realm *realm) {
  if (realm->pool->rewinds) {
    gc_collect_cycles();
    if (EG(exception)) return false; /* a destructor's */
  }
  realm->booted = true;
  howdah_session_booted(realm, modules.session);
  leave_request(realm);
  give_back(realm);
  if (realm->pool->rewinds) howdah_rewind_mark(realm);
  return true;
}

/* Where it does not return, the mark does (rewind.h). What ends here has no caller, as in php_request_shutdown(): what it
 * throws ends the script. */
__attribute__((noinline)) static bool go_back(howdah_realm *realm) {
  zend_execute_data *caller = EG(current_execute_data);
  if (howdah_rewind_may_go_back(realm)) {
    EG(current_execute_data) = NULL;
    zend_set_timeout(EG(timeout_seconds), 0); /* what ends may compute for as long as the request did */
    run_shutdown_functions(realm);            /* what the script has registered since the request's have run */
    if (CG(unclean_shutdown)) zend_bailout();
    howdah_rewind_destruct();
    if (howdah_between_end(realm, modules.session)) howdah_rewind_back(realm);
    EG(current_execute_data) = caller;
    return false;
  }
  return howdah_between_end(realm, modules.session);
}

bool howdah_worker_handle(zend_fcall_info *call, zend_fcall_info_cache *cache, zval *return_value) {
  howdah_realm *realm = howdah_realm_current();
  if (!realm || realm->pool->mode != HOWDAH_WORKER) {
    zend_throw_exception(spl_ce_RuntimeException, "frankenphp_handle_request() called while not in worker mode", 0);
    return false;
  }
  if (realm->booted && realm->request) {
    zend_throw_exception(spl_ce_RuntimeException, "frankenphp_handle_request() called while handling a request", 0);
    return false;
  }
  if (!realm->booted) {
    if (!leave_boot(realm)) return false;
  } else if (realm->rewind) {
    if (!go_back(realm)) return false;
  } else if (!howdah_between_end(realm, modules.session)) {
    return false;
  }
  learn_return(realm);
  ZVAL_FALSE(return_value);
  if (!wait_for_request(realm)) {
    if (!EG(exception)) howdah_between_begin(); /* the script goes on, to its end */
    return true;
  }
  if (!enter_request(realm)) {
    howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: out of memory for a request: answered 500");
    howdah_sapi_fail(realm);
    howdah_realm_request_done(realm);
    howdah_between_begin();
    ZVAL_TRUE(return_value);
    return true;
  }
  set_boot_functions_aside(realm);
  zval result;
  ZVAL_UNDEF(&result);
  call->retval = &result;
  zend_call_function(call, cache);
  zval_ptr_dtor(&result);
  if (end_request(realm))
    ZVAL_TRUE(return_value);
  else if (!EG(exception))
    zend_throw_unwind_exit();
  return true;
}

/* ---- A worker-mode realm's life ---- */

static void tell_why(const howdah_realm *realm) {
  if (realm->booted || realm->cancelled) return; /* cancelled: the worker stops, or it was told of */
  howdah_log(
      HOWDAH_LOG_ERROR, NULL,
      "howdah: %s ended during boot, before it asked for a request (exit status %d); see the log lines above, or run it in "
      "classic mode: howdah serve --mode=classic",
      realm->pool->script, (int)EG(exit_status));
}

/* Shutdown functions may print and buffer, also where a request's end has bailed out. */
static void prepare_end(howdah_realm *realm) {
  if (!(OG(flags) & PHP_OUTPUT_ACTIVATED)) howdah_between_begin();
  zend_try {
    join_shutdown_functions(realm);
  }
  zend_end_try();
}

void howdah_worker_main(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  if (!modules.found) find_modules();
  howdah_restart_begin(coroutine);
  realm->request = howdah_boot_request(realm);
  if (!realm->request) {
    howdah_log(HOWDAH_LOG_ERROR, NULL, "howdah: out of memory while a realm boots");
    return;
  }
  if (realm->pool->rewinds) howdah_rewind_prepare();
  bool started = howdah_run_request(realm);
  bool was_serving = realm->booted && realm->request;
  if (started) {
    tell_why(realm);
    if (was_serving) howdah_fpm_add_error_header();
    prepare_end(realm);
    howdah_shutdown_run(realm);
  } else {
    howdah_log(HOWDAH_LOG_ERROR, NULL, "howdah: PHP could not start %s; see the log lines above", realm->pool->script);
  }
  if (realm->request) {
    if (was_serving) howdah_sapi_fail(realm);
    howdah_sapi_request_end();
    howdah_realm_request_done(realm);
  }
  if (realm->rewind) howdah_rewind_free(realm);
}
