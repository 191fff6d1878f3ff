/* Takes private mappings of one file in memory. See pages.h. */
#include "pages.h"
#include "php_headers.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Address space is reserved for so many realms at once, in one piece, so that one comparison tells whether an address is in it.
 * Who comes when all are taken does without (a pool has 10,000 realms at most). */
enum { REALMS_MAX = 10240 };

static int file = -1;
static size_t bytes_each;
static char *reserve; /* NULL: no pages */
static size_t reserve_bytes;
static bool kept_any;
static uint32_t *given; /* those that were given back: their numbers */
static uint32_t given_count;
static uint32_t next; /* from here on none was ever taken */

/* Not by write(2): between the members of what is copied lies memory that nobody has initialised, which is nothing to report. */
static bool fill(const char *bytes, size_t size) {
  void *there = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (there == MAP_FAILED) return false;
  memcpy(there, bytes, size);
  return munmap(there, size) == 0;
}

/* A table outgrows slots that look for a moment as if they were a realm's. */
static bool is_free_hooked(void) {
  HashTable table;
  zend_hash_init(&table, 8, NULL, NULL, 1);
  zend_hash_real_init_mixed(&table);
  reserve = HT_GET_DATA_ADDR(&table);
  reserve_bytes = 1;
  zend_hash_extend(&table, 64, 0);
  if (kept_any) free(reserve);
  reserve = NULL;
  reserve_bytes = 0;
  zend_hash_destroy(&table);
  return kept_any;
}

bool howdah_pages_start(const char *bytes, size_t size) {
  if (!is_free_hooked()) return false;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  bytes_each = (size + page - 1) & ~(page - 1);
  file = memfd_create("howdah-base-pages", MFD_CLOEXEC);
  if (file < 0) return false;
  given = malloc(REALMS_MAX * sizeof(*given));
  if (!given || ftruncate(file, (off_t)bytes_each) < 0 || !fill(bytes, size)) goto failed;
  void *space = mmap(NULL, bytes_each * REALMS_MAX, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) goto failed;
  reserve = space;
  reserve_bytes = bytes_each * REALMS_MAX;
  return true;

failed:
  howdah_pages_stop();
  return false;
}

char *howdah_pages_take(void) {
  if (!reserve) return NULL;
  uint32_t number;
  if (given_count > 0)
    number = given[--given_count];
  else if (next < REALMS_MAX)
    number = next++;
  else
    return NULL;
  char *pages = reserve + number * bytes_each;
  /* When this fails there may be a hole now, for others to map: the number is not used again. */
  if (mmap(pages, bytes_each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
    return NULL;
  return pages;
}

void howdah_pages_give(char *pages) {
  if (!pages) return;
  /* The same here. */
  if (mmap(pages, bytes_each, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED) return;
  given[given_count++] = (uint32_t)((size_t)(pages - reserve) / bytes_each);
}

bool howdah_pages_keep(const void *address) {
  if ((uintptr_t)address - (uintptr_t)reserve >= reserve_bytes) return false;
  kept_any = true;
  return true;
}

void howdah_pages_stop(void) {
  if (reserve) munmap(reserve, reserve_bytes);
  if (file >= 0) close(file);
  free(given);
  reserve = NULL;
  reserve_bytes = 0;
  file = -1;
  given = NULL;
  given_count = next = 0;
}
