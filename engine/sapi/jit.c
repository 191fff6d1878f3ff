/* Which JIT may run. See jit.h.
 *
 * Compiled loops look at EG(vm_interrupt) and go to the interpreter, which goes on when the interrupt has been handled.
 * Variables that the register allocator has put into registers are not stored first: they have the values that were in memory,
 * often those from before the loop. So it is with the function JIT (zend_jit_check_timeout(),
 * ext/opcache/jit/zend_jit_x86.dasc, 8.2.32) and, since 8.4, with traces (zend_jit_ir.c, 8.4.24); the traces of 8.2 store them,
 * as at each of their exits. php-cli with signals has the same wrong results; there an interrupt is rare, here there is one in
 * each slice. So the JIT runs without its register allocator where it would lose them. */
#include "jit.h"
#include "../log.h"
#include "../state/hidden/probe.h"
#include "../state/php_headers.h"
#include "../state/version.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DIGIT_REGISTERS = 100, TRIGGER_TRACING = 5 };

static ZEND_INI_MH((*set_jit));
static const howdah_jit_head *jit;
static void *code;
static size_t code_size;

/* What a name stands for in opcache.jit's four digits (CRTO: CPU, registers, trigger, level); 0 for off, and for what opcache
 * refuses. */
static unsigned long digits_of(const char *setting) {
  static const char *const traces[] = {"tracing", "on", "yes", "true", "1"};
  for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++)
    if (strcasecmp(setting, traces[i]) == 0) return 1254;
  /* 1205 by the book. Code that is compiled when it is hot can be entered at its loops, so that it goes on after an interrupt;
   * what is compiled when a script is loaded can not, and a loop is interpreted from its first interrupt on. */
  if (strcasecmp(setting, "function") == 0) return 1235;
  char *end;
  unsigned long digits = strtoul(setting, &end, 10);
  return *end ? 0 : digits;
}

/* Writes the safe form into safe[]; false where the setting is safe as it is. */
static bool keeps_registers(const char *setting, char *safe, size_t safe_size) {
  unsigned long digits = digits_of(setting), trigger = digits / 10 % 10, registers = digits / DIGIT_REGISTERS % 10;
  if (registers == 0 || (trigger == TRIGGER_TRACING && HOWDAH_JIT_TRACES_STORE_REGISTERS)) return false;
  snprintf(safe, safe_size, "%04lu", digits - registers * DIGIT_REGISTERS);
  return true;
}

static const char *configured(const char *name) {
  zval *value = cfg_get_entry(name, strlen(name));
  return value && Z_TYPE_P(value) == IS_STRING ? Z_STRVAL_P(value) : NULL;
}

/* Does opcache run, with memory for a JIT? Without it the kind of JIT means nothing. */
static bool is_asked_for(void) {
  const char *enable = configured("opcache.enable"), *size = configured("opcache.jit_buffer_size");
  if (!zend_get_extension("Zend OPcache") || (enable && (!*enable || strcmp(enable, "0") == 0))) return false;
  return size ? strtoll(size, NULL, 0) > 0 : HOWDAH_JIT_HAS_MEMORY_BY_DEFAULT;
}

void howdah_jit_settings(void) {
  static const char name[] = "opcache.jit";
  char safe[32];
  zval *value = cfg_get_entry(name, strlen(name));
  if (!value || Z_TYPE_P(value) != IS_STRING || !keeps_registers(Z_STRVAL_P(value), safe, sizeof(safe)) || !is_asked_for())
    return;
  howdah_log(
      HOWDAH_LOG_WARNING, NULL,
      "howdah: opcache.jit=%s is not safe here: it keeps variables in registers and loses them when PHP is interrupted to let "
      "another request run. opcache.jit=%s is used instead, which keeps none; set it so%s (docs/jit.md)",
      Z_STRVAL_P(value), safe, HOWDAH_JIT_TRACES_STORE_REGISTERS ? ", or to tracing" : "");
  zend_string_release_ex(Z_STR_P(value), true);
  ZVAL_NEW_STR(value, zend_string_init(safe, strlen(safe), true));
  GC_MAKE_PERSISTENT_LOCAL(Z_STR_P(value));
}

static ZEND_INI_MH(on_set_jit) {
  char safe[32];
  if (jit->enabled && keeps_registers(ZSTR_VAL(new_value), safe, sizeof(safe))) {
    if (stage == ZEND_INI_STAGE_RUNTIME)
      zend_error(E_WARNING, "opcache.jit=%s loses variables when PHP is interrupted to let another request run; use %s",
                 ZSTR_VAL(new_value), safe);
    return FAILURE;
  }
  return set_jit(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

/* Where the compiled code is: what opcache sets aside in its shared memory, of the size that was asked for, in whole pages. */
static void find_code(void) {
  /* With PHP 8.5 it is a part of PHP's library. */
  howdah_smm_globals **globals = howdah_probe_function("zend opcache", "smm_shared_globals");
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  zend_ini_entry *entry =
      zend_hash_str_find_ptr(EG(ini_directives), "opcache.jit_buffer_size", strlen("opcache.jit_buffer_size"));
  if (!globals || !*globals || !entry || entry->mh_arg2 != (void *)jit || !jit->enabled) return;
  size_t size = (size_t) * (const zend_long *)((const char *)jit + (size_t)entry->mh_arg1);
  if ((*globals)->reserved_size < size || (*globals)->reserved_size > size + page) return;
  if (!(*globals)->reserved || (uintptr_t)(*globals)->reserved % page != 0) return;
  code = (*globals)->reserved;
  code_size = (*globals)->reserved_size;
}

void howdah_jit_hook_php(void) {
  zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), "opcache.jit", strlen("opcache.jit"));
  if (!entry || !entry->mh_arg2 || !zend_get_extension("Zend OPcache")) return;
  jit = entry->mh_arg2;
  set_jit = entry->on_modify;
  entry->on_modify = on_set_jit;
  find_code();
}

/* What zend_jit_protect() does (ext/opcache/jit/zend_jit.c). zend_accel_script_persist() (ext/opcache/zend_persist.c, 8.2.32)
 * makes the code writable and not executable while it adds to it; where memory_limit ends a request there (PHP 8.4.24), it
 * stays so, and the next function that is compiled ends the process. */
void howdah_jit_after_bailout(void) {
  if (code && !(zend_ini_long("opcache.jit_debug", strlen("opcache.jit_debug"), 0) & HOWDAH_JIT_DEBUG_WRITABLE))
    mprotect(code, code_size, PROT_READ | PROT_EXEC);
}

bool howdah_jit_runs(void) {
  return jit && jit->enabled && jit->on;
}
