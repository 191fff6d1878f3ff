/* close, fclose, dup2, dup3: a number is free, or another file's. Kind: note.
 *
 * Realms that wait for the descriptor are told, so that they look again and see what a fresh call would see; a file lock that went with
 * it goes to who waits for it; and what was remembered of the number is forgotten. libc's own closing is not seen (closedir, and what is closed
 * inside other functions): it never closes what a library waits for. */
#include "close.h"

#include "../coroutine/coroutine.h"
#include "families.h"
#include "hook.h"
#include "lock.h"

#include <errno.h>

int (*howdah_real_close)(int);
int (*howdah_real_fclose)(FILE *);
int (*howdah_real_dup2)(int, int);
int (*howdah_real_dup3)(int, int, int);

uint8_t howdah_kinds[HOWDAH_KINDS_MAX];

static void forget(int fd) {
  if (fd >= 0 && fd < HOWDAH_KINDS_MAX) howdah_kinds[fd] = HOWDAH_KIND_UNKNOWN;
}

/* In a coroutine: others must not be woken in the middle of what the main stack does. */
static void note(int fd, const howdah_lock_file *file) {
  int error = errno;
  forget(fd);
  if (howdah_coroutine_current()) {
    howdah_loop_closed(howdah_coroutine_loop(), fd);
    howdah_lock_after_close(fd, file);
  }
  errno = error;
}

int howdah_hook_close(int fd) {
  if (!howdah_hooks_are_ours()) {
    forget(fd);
    return howdah_real_close(fd);
  }
  howdah_lock_file file = howdah_lock_before_close(fd);
  int result = howdah_real_close(fd);
  note(fd, &file);
  return result;
}

int howdah_hook_fclose(FILE *stream) {
  int fd = fileno(stream);
  if (fd < 0 || !howdah_hooks_are_ours()) {
    forget(fd);
    return howdah_real_fclose(stream);
  }
  howdah_lock_file file = howdah_lock_before_close(fd);
  int result = howdah_real_fclose(stream);
  note(fd, &file);
  return result;
}

int howdah_hook_dup2(int old, int new) {
  if (!howdah_hooks_are_ours()) {
    forget(new);
    return howdah_real_dup2(old, new);
  }
  howdah_lock_file file = howdah_lock_before_close(new);
  int result = howdah_real_dup2(old, new);
  if (result >= 0 && old != new) note(new, &file);
  return result;
}

int howdah_hook_dup3(int old, int new, int flags) {
  if (!howdah_hooks_are_ours()) {
    forget(new);
    return howdah_real_dup3(old, new, flags);
  }
  howdah_lock_file file = howdah_lock_before_close(new);
  int result = howdah_real_dup3(old, new, flags);
  if (result >= 0) note(new, &file);
  return result;
}
