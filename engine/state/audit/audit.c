/* The audit: copies, looks, notes. See audit.h. */
#include "audit.h"
#include "../block.h"
#include "answers.h"
#include "notes.h"
#include "objects.h"
#include "../php_headers.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* ---- This process's ------------------------------------------------------------------------------------------------------ */

/* A part of a segment that is no state block. */
typedef struct {
  const howdah_segment *segment;
  size_t from, to;
  unsigned object;
} region;

static howdah_segments segments;
static region *regions;
static size_t regions_count;
static unsigned long long generation;
static char *report_path;
static uint64_t look_ended_ns, look_took_ns;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Regions ------------------------------------------------------------------------------------------------------------- */

static bool add_region(const howdah_segment *segment, unsigned object, size_t from, size_t to) {
  if (from >= to) return true;
  region *longer = realloc(regions, (regions_count + 1) * sizeof(*longer));
  if (!longer) return false;
  regions = longer;
  regions[regions_count++] = (region){segment, from, to, object};
  return true;
}

/* Blocks are in the order of memory. */
static bool add_regions(const howdah_segment *segment) {
  size_t count, from = 0;
  const howdah_block *blocks = howdah_blocks_all(&count);
  unsigned object = howdah_notes_object(segment);
  if (object == HOWDAH_AUDIT_OBJECTS_MAX) return true;
  for (size_t i = 0; i < count; i++) {
    if (blocks[i].address < segment->start || blocks[i].address >= segment->start + segment->size) continue;
    size_t at = (size_t)(blocks[i].address - segment->start);
    if (!add_region(segment, object, from, at)) return false;
    from = at + blocks[i].size;
  }
  return add_region(segment, object, from, segment->size);
}

static bool make_regions(void) {
  regions_count = 0;
  for (size_t i = 0; i < segments.count; i++)
    if (segments.items[i].copy && !add_regions(&segments.items[i])) return false;
  return true;
}

static void drop_unloaded(void) {
  size_t kept = 0;
  for (size_t i = 0; i < segments.count; i++) {
    if (howdah_objects_hold(segments.items[i].start)) {
      segments.items[kept++] = segments.items[i];
    } else {
      free(segments.items[i].copy);
      free(segments.items[i].path);
    }
  }
  segments.count = kept;
}

/* What was loaded since the last look is compared from now on; what was unloaded no more. */
static void follow_objects(void) {
  char error[256];
  unsigned long long now = howdah_objects_generation();
  if (now == generation) return;
  generation = now;
  drop_unloaded();
  size_t known = segments.count;
  if (howdah_objects_add(&segments, error, sizeof(error)) < 0) return;
  for (size_t i = known; i < segments.count; i++) {
    segments.items[i].copy = malloc(segments.items[i].size);
    if (segments.items[i].copy)
      memcpy(segments.items[i].copy, segments.items[i].start, segments.items[i].size);
    else
      atomic_fetch_add(&howdah_audit_notes->lost, segments.items[i].size / HOWDAH_AUDIT_WORD);
  }
  if (!make_regions()) regions_count = 0;
}

/* ---- Looking ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  howdah_audit_moment moment;
  const char *request, *script;
  uint16_t howdah_label;
} occasion;

static void note_at(unsigned object, size_t in_object, const howdah_reason *why, bool unexplained, occasion *when) {
  howdah_word_note *note = howdah_notes_word(((uint64_t)object + 1) << 40 | in_object);
  if (!note) {
    atomic_fetch_add(&howdah_audit_notes->lost, 1);
    return;
  }
  if (why) atomic_store(&note->why, why);
  bool news = unexplained && !atomic_exchange(&note->unexplained, true);
  if (atomic_fetch_add(&note->seen, 1) == 0) {
    if (!when->howdah_label) when->howdah_label = howdah_notes_label(when->moment, when->request, when->script);
    atomic_store(&note->first, when->howdah_label);
    news = true;
  }
  if (news) atomic_fetch_add(&howdah_audit_notes->changes, 1);
}

/* One aligned word of which the bytes from..to (in the segment) belong to the region. */
static void note_word(const region *where, size_t from, size_t to, occasion *when) {
  const howdah_segment *segment = where->segment;
  const howdah_reason *why = NULL;
  bool unexplained = false;
  for (size_t at = from; at < to; at++) {
    if (segment->start[at] == segment->copy[at]) continue;
    const howdah_reason *byte_why = howdah_shared_at(segment, segment->start + at);
    if (byte_why)
      why = byte_why;
    else
      unexplained = true;
  }
  memcpy(segment->copy + from, segment->start + from, to - from);
  size_t in_object = (size_t)(segment->start + (from & ~(size_t)(HOWDAH_AUDIT_WORD - 1)) - (char *)segment->base);
  note_at(where->object, in_object, why, unexplained, when);
}

static void compare_words(const region *where, size_t from, size_t to, occasion *when) {
  const howdah_segment *segment = where->segment;
  while (from < to) {
    size_t next = (from & ~(size_t)(HOWDAH_AUDIT_WORD - 1)) + HOWDAH_AUDIT_WORD;
    if (next > to) next = to;
    if (memcmp(segment->start + from, segment->copy + from, next - from) != 0) note_word(where, from, next, when);
    from = next;
  }
}

static void compare_region(const region *where, occasion *when) {
  const howdah_segment *segment = where->segment;
  for (size_t from = where->from; from < where->to;) {
    size_t next = from + PAGE < where->to ? from + PAGE : where->to;
    if (memcmp(segment->start + from, segment->copy + from, next - from) != 0) compare_words(where, from, next, when);
    from = next;
  }
}

/* The library stands for an object, a number for a place in it. */
static void compare_answers(occasion *when) {
  const char *library;
  char path[96];
  for (size_t at = 0; howdah_answers_changed(&at, &library); at++) {
    howdah_segment stand_in = {.path = path};
    snprintf(stand_in.object, sizeof(stand_in.object), "%s", library);
    snprintf(path, sizeof(path), "%s%s", howdah_answers_path, library);
    unsigned object = howdah_notes_object(&stand_in);
    if (object < HOWDAH_AUDIT_OBJECTS_MAX) note_at(object, at * HOWDAH_AUDIT_WORD, NULL, true, when);
  }
}

bool howdah_audit_is_on(void) {
  return howdah_audit_notes != NULL;
}

bool howdah_audit_is_due(void) {
  return now_ns() - look_ended_ns >= look_took_ns;
}

void howdah_audit_look(howdah_audit_moment moment, const char *request, const char *script) {
  if (!howdah_audit_notes) return;
  uint64_t begun_ns = now_ns();
  occasion when = {moment, request, script, 0};
  follow_objects();
  for (size_t i = 0; i < regions_count; i++)
    compare_region(&regions[i], &when);
  compare_answers(&when);
  atomic_fetch_add(moment == HOWDAH_AUDIT_MIDDLE ? &howdah_audit_notes->middle : &howdah_audit_notes->ends, 1);
  look_ended_ns = now_ns();
  look_took_ns = look_ended_ns - begun_ns;
}

bool howdah_audit_is_dirty(void) {
  return howdah_audit_notes && report_path && *report_path &&
         atomic_load(&howdah_audit_notes->saved) != atomic_load(&howdah_audit_notes->changes);
}

static FILE *open_report(char *temporary, size_t size) {
  snprintf(temporary, size, "%s.%d", report_path, (int)getpid());
  FILE *file = fopen(temporary, "we");
  if (file) return file;
  *temporary = '\0';
  return fopen(report_path, "we");
}

int howdah_audit_save(char *error, size_t error_size) {
  char temporary[PATH_MAX + 16];
  if (!howdah_audit_notes || !report_path || !*report_path) return 0;
  unsigned long long changes = atomic_load(&howdah_audit_notes->changes);
  FILE *file = open_report(temporary, sizeof(temporary));
  int failed = !file || howdah_audit_write(file) < 0;
  int why = errno;
  if (file && fclose(file) != 0 && !failed) failed = 1, why = errno;
  if (!failed && *temporary && rename(temporary, report_path) < 0) failed = 1, why = errno;
  if (failed) {
    if (*temporary) unlink(temporary);
    snprintf(error, error_size,
             "howdah: the audit's report cannot be written to %s: %s; name a file in a folder that workers may write to",
             report_path, strerror(why));
    return -1;
  }
  atomic_store(&howdah_audit_notes->saved, changes);
  return 0;
}

/* ---- Start and end ------------------------------------------------------------------------------------------------------- */

/* Scripts change the working directory. */
static char *absolute(const char *path) {
  char folder[PATH_MAX], *whole = NULL;
  if (!*path || *path == '/') return strdup(path);
  if (!getcwd(folder, sizeof(folder)) || asprintf(&whole, "%s/%s", folder, path) < 0) return NULL;
  return whole;
}

int howdah_audit_start(const char *report, char *error, size_t error_size) {
  if (howdah_notes_start() < 0 || !(report_path = absolute(report))) {
    snprintf(error, error_size, "howdah: the audit cannot start: %s", strerror(errno));
    return -1;
  }
  generation = howdah_objects_generation();
  if (howdah_objects_add(&segments, error, error_size) < 0 || howdah_segments_copy(&segments, error, error_size) < 0) return -1;
  if (!make_regions()) {
    snprintf(error, error_size, "howdah: out of memory for the audit");
    return -1;
  }
  return howdah_audit_save(error, error_size);
}

void howdah_audit_stop(void) {
  if (!howdah_audit_notes) return;
  howdah_notes_stop();
  howdah_segments_free(&segments);
  howdah_objects_free();
  free(regions);
  regions = NULL;
  regions_count = 0;
  free(report_path);
  report_path = NULL;
}
