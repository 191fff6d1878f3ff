/* Loaded before the C library (LD_PRELOAD): who opens the file that TRAP names crashes, at address 0x20. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode) {
  static FILE *(*original)(const char *, const char *);
  static volatile uintptr_t nowhere = 0x20;
  const char *trap = getenv("TRAP");
  if (trap && strcmp(path, trap) == 0) *(volatile int *)nowhere = 1;
  if (!original) original = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  return original(path, mode);
}
