/* Linked into the sanitized nginx: what its runtimes would read from an environment that not every test hands on.
 *
 * The first report ends the process, so that its stack is that of the fault; leaks are not looked for: PHP and extensions keep
 * what they have until the process has gone. nginx and its modules, ours among them, define the same names (ngx_modules). What
 * was freed stays unused for a while, but not for so long that it looks like growth. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void) {
  return "detect_leaks=0:detect_odr_violation=0:abort_on_error=1:detect_stack_use_after_return=0:quarantine_size_mb=4"
         ":thread_local_quarantine_size_kb=256";
}

__attribute__((visibility("default"))) const char *__ubsan_default_options(void) {
  return "print_stacktrace=1:halt_on_error=1:abort_on_error=1";
}
