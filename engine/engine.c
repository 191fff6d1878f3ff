/* PHP's start and end in a process, and its attachment to a worker's loop. */
#include "howdah.h"
#include "advice.h"
#include "check.h"
#include "coroutine/chaos.h"
#include "coroutine/coroutine.h"
#include "hooks/deadline.h"
#include "hooks/hook.h"
#include "hooks/offload.h"
#include "hooks/restart.h"
#include "hooks/watchdog.h"
#include "log.h"
#include "realm/inspect.h"
#include "realm/memory.h"
#include "realm/outdated.h"
#include "realm/overdue.h"
#include "realm/slow.h"
#include "sapi/crash.h"
#include "sapi/disturb.h"
#include "sapi/exhaustion.h"
#include "sapi/fpm.h"
#include "sapi/jit.h"
#include "sapi/ini_text.h"
#include "sapi/php_ini.h"
#include "sapi/run.h"
#include "sapi/standard.h"
#include "sapi/unwind.h"
#include "sapi/sapi.h"
#include "state/block.h"
#include "state/extensions/extensions.h"
#include "state/extensions/observers.h"
#include "state/audit/objects.h"
#include "state/process/environment.h"
#include "state/process/reserve.h"
#include "state/state.h"
#include "state/version.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  uint64_t chaos_seed;
  uint64_t slice_ms;
  bool started;
} engine;

/* Settings that realms need, whatever php.ini says; last, so that they win. A restart of opcache that has waited for its
 * readers for force_restart_timeout would kill them: whole workers. zend.signal_check complains, seven times a request, that
 * PHP's signal handlers were replaced: here they never are in place (SIGG(reset) below). */
static const char forced_ini[] = "opcache.force_restart_timeout=2147483647\nregister_argc_argv=0\nzend.signal_check=0\n";

/* Functions of the embed library that php-fpm does not have, and that would act on the worker as a whole. */
static const char *const withheld[] = {"chroot", "dl", "cli_set_process_title", "cli_get_process_title"};

static int fail(char *error, size_t error_size, const char *message) {
  snprintf(error, error_size, "%s", message);
  return -1;
}

static bool same_series(const char *version) {
  char built[16];
  int len = snprintf(built, sizeof(built), "%d.%d.", PHP_MAJOR_VERSION, PHP_MINOR_VERSION);
  return strncmp(version, built, (size_t)len) == 0;
}

static const char *runtime_version(void) {
  const zend_module_entry *standard = zend_hash_str_find_ptr(&module_registry, "standard", sizeof("standard") - 1);
  return standard && standard->version ? standard->version : PHP_VERSION;
}

const char *howdah_engine_php_version(void) {
  return engine.started ? runtime_version() : PHP_VERSION;
}

static void withhold_functions(void) {
  for (size_t i = 0; i < sizeof(withheld) / sizeof(*withheld); i++)
    zend_hash_str_del(CG(function_table), withheld[i], strlen(withheld[i]));
  /* Of a pcntl that php.ini loads; the library's own is left out (sapi/fpm.c). */
  zend_string *name;
  zend_function *function;
  ZEND_HASH_FOREACH_STR_KEY_PTR(CG(function_table), name, function) {
    if (function->type == ZEND_INTERNAL_FUNCTION && function->internal_function.module &&
        strcmp(function->internal_function.module->name, "pcntl") == 0)
      zend_hash_del(CG(function_table), name);
  }
  ZEND_HASH_FOREACH_END();
}

/* Its hidden state is found by what it does, and switched off it does nothing. */
static int check_opcache(char *error, size_t error_size) {
  if (!zend_get_extension("Zend OPcache")) return 0;
  if (!zend_ini_long("opcache.enable", strlen("opcache.enable"), 0))
    return fail(error, error_size,
                "howdah: opcache is switched off, and through it realms share compiled code: set opcache.enable=1");
  if (zend_ini_long("opcache.interned_strings_buffer", strlen("opcache.interned_strings_buffer"), 0) <= 0)
    return fail(
        error, error_size,
        "howdah: opcache.interned_strings_buffer=0 is not supported: opcache then keeps no strings that realms could share; "
        "set it to 8 or more");
  if (zend_ini_long("opcache.protect_memory", strlen("opcache.protect_memory"), 0))
    return fail(
        error, error_size,
        "howdah: opcache.protect_memory=1 is not supported: one request would protect opcache's memory while another is "
        "about to write to it; set it to 0");
  return 0;
}

static int refuse_observers(char *error, size_t error_size) {
  char names[256], way_out[HOWDAH_ADVICE_MAX];
  if (howdah_observers_name(names, sizeof(names)) == 0)
    return fail(
        error, error_size,
        "howdah: a PHP extension that observes every function call is loaded (a profiler or tracer), and which cannot be "
        "told; Howdah does not support these yet: disable it for this server");
  snprintf(error, error_size,
           "howdah: PHP extensions that observe every function call are loaded (profilers or tracers): %s; Howdah does not "
           "support these yet: disable them for this server (%s)",
           names, howdah_advice_leave_out(names, way_out));
  return -1;
}

/* What realms cannot live with is refused here, before anything is served. */
static int check_php(char *error, size_t error_size) {
  if (!same_series(runtime_version())) {
    snprintf(error, error_size,
             "howdah: built for PHP %s, but the PHP library that was loaded is %s; rebuild (make clean build), or install "
             "libphp%d.%d",
             PHP_VERSION, runtime_version(), PHP_MAJOR_VERSION, PHP_MINOR_VERSION);
    return -1;
  }
  if (zend_hash_str_exists(&module_registry, "xdebug", sizeof("xdebug") - 1)) {
    char way_out[HOWDAH_ADVICE_MAX];
    snprintf(error, error_size,
             "howdah: the PHP extension xdebug is loaded; Howdah does not support it yet: disable it for this server (%s)",
             howdah_advice_leave_out("xdebug", way_out));
    return -1;
  }
  /* An observer's current frame is hidden per-thread state (Zend/zend_observer.c) that no function changes, and what extensions
   * keep with internal functions cannot be made private. */
  if (zend_observer_fcall_op_array_extension != -1 || HOWDAH_INTERNAL_RUN_TIME_CACHE != NULL)
    return refuse_observers(error, error_size);
  return check_opcache(error, error_size);
}

/* Extensions that Howdah does not know: those that seem to keep a request's state are refused where requests run at once. */
static int judge_extensions(const howdah_engine_options *options, char *error, size_t error_size) {
  if (howdah_extensions_judge(options->shared_extensions, options->know_no_extension, error, error_size) < 0) return -1;
  const howdah_extension *refused = howdah_extensions_refused();
  /* The audit is there to look at it. */
  if (refused && options->at_once != 1 && !options->audit_report) {
    howdah_extensions_explain(refused, error, error_size);
    return -1;
  }
  return 0;
}

static void tell_broken_rule(const char *message) {
  howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", message);
}

int howdah_engine_start(const howdah_engine_options *options, char *error, size_t error_size) {
  if (engine.started) return fail(error, error_size, "howdah: PHP can be started only once in a process");
  if (howdah_objects_before(error, error_size) < 0) return -1;
  howdah_advice_settings(options->php_ini);
  howdah_log_to(&(howdah_log_sink){.log = options->log, .write_line = options->write_line});
  engine.chaos_seed = options->chaos_seed;
  engine.slice_ms = options->slice_ms;
  if (options->chaos_seed) howdah_disturb_wanted();
  howdah_checks_start(options->chaos_seed != 0, tell_broken_rule);
#ifdef ZEND_SIGNALS
  zend_signal_startup();
  /* PHP must not put its signal handlers over nginx's at each request. */
  SIGG(reset) = 0;
#endif
  howdah_realms_run(&howdah_sapi_realm_code);
  sapi_startup(&howdah_sapi);
  howdah_sapi.ini_entries = howdah_ini_text(options->ini_entries, forced_ini); /* sapi_startup() clears it */
  if (!howdah_sapi.ini_entries) return fail(error, error_size, "howdah: out of memory for PHP's settings");
  if (options->php_ini && howdah_php_ini_use(options->php_ini, error, error_size) < 0) return -1;
  bool started = howdah_sapi.startup(&howdah_sapi) == SUCCESS;
  howdah_php_ini_used();
  if (!started) return fail(error, error_size, "howdah: PHP did not start; see the log lines above (php.ini, extensions)");
  if (check_php(error, error_size) < 0) return -1;
  withhold_functions();
  howdah_sapi_start_variables();
  if (howdah_standard_start() < 0) return fail(error, error_size, "howdah: php://stdout and php://stderr cannot be replaced");
  howdah_jit_hook_php();
  if (howdah_state_start(options->without_block, error, error_size) < 0) return -1;
  if (judge_extensions(options, error, error_size) < 0) return -1;
  howdah_exhaustion_start();
  if (howdah_hooks_install(error, error_size) < 0) return -1;
  if (howdah_restart_start() < 0) {
    snprintf(error, error_size, "howdah: no memory to share among workers: %s", strerror(errno));
    return -1;
  }
  howdah_state_share();
  howdah_hook_php(options->chaos_seed != 0);
  howdah_unwind_start();
  if (howdah_inspect_start(options->audit_report, options->at_once == 1, error, error_size) < 0) return -1;
  engine.started = true;
  return 0;
}

/* In a signal handler: what zend_timeout_handler() does (Zend/zend_execute_API.c, 8.2), for shutdown functions that do not end
 * either after hard_timeout seconds again. But for code that does not let itself be interrupted: it would end the process
 * there. */
static int64_t time_is_over(void) {
  zend_atomic_bool_store_ex(&EG(timed_out), true);
  zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
  return EG(hard_timeout) > 0 ? (int64_t)EG(hard_timeout) * 1000000 : INT64_MAX;
}

/* Requests that wait hold their memory for a while, hundreds of them, and give it back together. With the C library's own limit
 * of 128 KB the end of its heap would go back to the kernel each time, to be asked for again at once. */
static void keep_freed_memory(void) {
  enum { KEPT_BYTES = 4 * 1024 * 1024, MAPPED_BYTES = 512 * 1024 };
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
  /* Setting the first ends the adjustment of this one, which would stay as low. */
  mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}

int howdah_engine_attach(howdah_loop *loop, char *error, size_t error_size) {
  if (!engine.started) return fail(error, error_size, "howdah: PHP is not started");
  keep_freed_memory();
  if (howdah_environment_name_user() < 0) return fail(error, error_size, "howdah: out of memory for the worker's environment");
  howdah_coroutine_set_loop(loop);
  howdah_hooks_attach();
  howdah_thread_find();
  howdah_signals_start();
  if (howdah_deadline_start(engine.slice_ms, time_is_over, howdah_interrupt_php, howdah_slow_look_at_held) < 0) {
    snprintf(error, error_size, "howdah: cannot start the profiling timer for time limits: %s", strerror(errno));
    return -1;
  }
  if (howdah_watchdog_start() < 0) {
    snprintf(error, error_size, "howdah: cannot start the timer for calls that block: %s", strerror(errno));
    return -1;
  }
  if (howdah_overdue_start() < 0) {
    snprintf(error, error_size, "howdah: cannot start the timers for boots without end: %s", strerror(errno));
    return -1;
  }
  if (howdah_crash_attach() < 0) {
    snprintf(error, error_size, "howdah: cannot install the handlers for crashes: %s", strerror(errno));
    return -1;
  }
  howdah_chaos_start(engine.chaos_seed);
  return 0;
}

void howdah_engine_lend_folder(bool lent) {
  howdah_process_state_lend_folder(lent);
}

void howdah_engine_take_back_folder(void) {
  howdah_process_state_take_back();
}

void howdah_engine_renew_code(void) {
  bool looks_each_time = INI_BOOL("opcache.validate_timestamps") && INI_INT("opcache.revalidate_freq") == 0;
  if (engine.started && !looks_each_time) howdah_restart_ask();
}

void howdah_engine_keep_code(void) {
  howdah_outdated_keep();
}

uint32_t howdah_engine_take_saved(bool is_code) {
  return howdah_restart_save(is_code);
}

uint32_t howdah_engine_saves(void) {
  return howdah_restart_shown();
}

int howdah_engine_reserve_descriptors(unsigned most, char *error, size_t error_size) {
  if (howdah_reserve_keep(most) == 0) return 0;
  snprintf(error, error_size, "howdah: cannot lower the limit of descriptors for PHP: %s", strerror(errno));
  return -1;
}

void howdah_engine_get_waits(howdah_waits waits[HOWDAH_WAIT_KINDS]) {
  howdah_coroutine_get_waits(waits);
}

void howdah_engine_measure_cpu(bool on) {
  howdah_coroutine_measure_cpu(on);
}

uint64_t howdah_engine_memory(void) {
  return howdah_memory_resident();
}

void howdah_engine_stop(void) {
  if (!engine.started) return;
  engine.started = false;
  howdah_offload_stop();
  howdah_inspect_stop();
  howdah_coroutine_set_loop(NULL);
  howdah_extensions_free();
  howdah_state_stop();
  howdah_stack_free_kept();
  php_module_shutdown();
  sapi_shutdown();
  free((void *)howdah_sapi.ini_entries); /* const since PHP 8.3 */
  howdah_sapi.ini_entries = NULL;
}
