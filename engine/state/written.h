/* Which pages of a private memory were written to: the kernel says so, by userfaultfd's write protection that it takes off by
 * itself, and PAGEMAP_SCAN (Linux 6.7; asynchronous write protection, Documentation/admin-guide/mm/userfaultfd.rst).
 *
 * A page that the kernel knows nothing of, as it was never protected, was given back or is swapped out, counts as written
 * to. */
#ifndef HOWDAH_STATE_WRITTEN_H
#define HOWDAH_STATE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As struct page_region (linux/fs.h, 6.7). */
typedef struct {
  uint64_t start, end, kinds;
} howdah_written;

/* False: the kernel cannot, or may not: then nothing is known of any page. Whole pages. */
bool howdah_written_watch(char *start, size_t bytes);
void howdah_written_unwatch(char *start, size_t bytes);
/* Of what is watched: it counts as not written to from now on. False: it counts as written to, as before. */
bool howdah_written_forget(char *start, size_t bytes);
/* Those of what is watched that were written to since, as ranges, in order; -1: nobody knows. */
ssize_t howdah_written_list(const char *start, size_t bytes, howdah_written *list, size_t room);

#endif
