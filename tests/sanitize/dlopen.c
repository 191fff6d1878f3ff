/* Linked into sanitized programs: loads extensions without RTLD_DEEPBIND.
 *
 * PHP asks for it (main/php_portability.h, DL_LOAD) and the sanitizers' runtime refuses: a library bound deeply would have its
 * own malloc. libphp finds this definition before libc's, because the program exports it (-rdynamic). */
#include <dlfcn.h>

__attribute__((visibility("default"))) void *dlopen(const char *file, int mode) {
  static void *(*next)(const char *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
  return next(file, mode & ~RTLD_DEEPBIND);
}
