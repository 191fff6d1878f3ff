/* Who holds a lock of a file that a realm waits for: only asked for while somebody looks. */
#ifndef HOWDAH_HOOKS_HOLDER_H
#define HOWDAH_HOOKS_HOLDER_H

#include "../coroutine/coroutine.h"

#include <sys/types.h>

/* The coroutine has got a lock of the open file by flock(2). */
void howdah_holder_note(int fd, howdah_coroutine *coroutine);
/* Whether the open file behind a descriptor has a lock of flock(2); also when that cannot be told. */
bool howdah_holder_may_be(int fd);
typedef struct {
  int64_t owner;     /* the number of another coroutine in this process (coroutine->record_owner), or 0 */
  uint64_t since_us; /* howdah_loop_now_us(); UINT64_MAX: not known */
  pid_t process;     /* who has it for the kernel */
} howdah_holder;
/* Of what a parked coroutine waits for. False: it waits for no file's lock, or nobody is known to have it. On the main stack. */
bool howdah_holder_find(const howdah_coroutine *coroutine, howdah_holder *holder);

#endif
