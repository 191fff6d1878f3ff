/* The audit: copies, looks, notes. See audit.h. */
#include "audit.h"
#include "block.h"
#include "objects.h"
#include "php_headers.h"
#include "symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 8, PAGE = 4096, WORDS_MAX = 1 << 16, OBJECTS_MAX = 512, LABELS_MAX = 4096 };

/* ---- What the workers share: written without locks, so that one that dies holds none ------------------------------------------- */

typedef struct {
  _Atomic uint64_t key; /* (object + 1) << 40 | offset; 0: free */
  _Atomic(const howdah_reason *) why;
  atomic_uint seen;
  _Atomic uint16_t first; /* a label + 1; 0: not yet written */
  atomic_bool unexplained;
} word_note;

typedef struct {
  char request[192], script[192];
  howdah_audit_moment moment;
  atomic_bool written;
} label;

typedef struct {
  char name[64], path[256], extension[64];
  size_t bytes;
  bool of_thread;
  atomic_int state; /* 0 free, 1 being written, 2 written */
} object_note;

typedef struct {
  word_note words[WORDS_MAX];
  object_note objects[OBJECTS_MAX];
  label labels[LABELS_MAX];
  atomic_uint labels_count;
  atomic_ullong middle, ends, lost;
  atomic_ullong changes; /* words noted for the first time */
  atomic_ullong saved;   /* of them, those that the report has */
} notes_shared;

static notes_shared *notes;

/* ---- This process's ------------------------------------------------------------------------------------------------------------- */

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

/* ---- Notes ---------------------------------------------------------------------------------------------------------------------- */

static const char *extension_of(const howdah_segment *segment) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (module->handle && (const char *)module >= segment->start && (const char *)module < segment->start + segment->size)
      return module->name;
  }
  ZEND_HASH_FOREACH_END();
  return "";
}

/* The same number for the same object in every worker. OBJECTS_MAX when there is no room. */
static unsigned object_number(const howdah_segment *segment) {
  for (unsigned i = 0; i < OBJECTS_MAX; i++) {
    object_note *one = &notes->objects[i];
    int expected = 0;
    if (atomic_compare_exchange_strong(&one->state, &expected, 1)) {
      snprintf(one->name, sizeof(one->name), "%s", segment->object);
      snprintf(one->path, sizeof(one->path), "%s", segment->path);
      snprintf(one->extension, sizeof(one->extension), "%s", extension_of(segment));
      one->bytes = segment->size;
      one->of_thread = segment->of_thread;
      atomic_store(&one->state, 2);
      return i;
    }
    if (expected == 2 && one->of_thread == segment->of_thread && strcmp(one->path, segment->path) == 0) return i;
  }
  return OBJECTS_MAX;
}

static word_note *note_for(uint64_t key) {
  size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 40) % WORDS_MAX;
  for (size_t tried = 0; tried < WORDS_MAX / 2; tried++, at = (at + 1) % WORDS_MAX) {
    uint64_t expected = 0;
    if (atomic_compare_exchange_strong(&notes->words[at].key, &expected, key) || expected == key) return &notes->words[at];
  }
  return NULL;
}

/* The last label is for all that come when there is no room left. */
static uint16_t label_for(howdah_audit_moment moment, const char *request, const char *script) {
  unsigned at = atomic_fetch_add(&notes->labels_count, 1);
  if (at >= LABELS_MAX - 1) {
    atomic_store(&notes->labels_count, LABELS_MAX - 1);
    at = LABELS_MAX - 1;
  }
  label *one = &notes->labels[at];
  if (!atomic_load(&one->written)) {
    snprintf(one->request, sizeof(one->request), "%s", at == LABELS_MAX - 1 ? "a later request" : request);
    snprintf(one->script, sizeof(one->script), "%s", script);
    one->moment = moment;
    atomic_store(&one->written, true);
  }
  return (uint16_t)(at + 1);
}

/* ---- Regions -------------------------------------------------------------------------------------------------------------------- */

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
  unsigned object = object_number(segment);
  if (object == OBJECTS_MAX) return true;
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
      atomic_fetch_add(&notes->lost, segments.items[i].size / WORD);
  }
  if (!make_regions()) regions_count = 0;
}

/* ---- Looking -------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  howdah_audit_moment moment;
  const char *request, *script;
  uint16_t label;
} occasion;

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
  if (unexplained && howdah_is_linkers(segment, segment->start + from)) return;
  size_t in_object = (size_t)(segment->start + (from & ~(size_t)(WORD - 1)) - (char *)segment->base);
  word_note *note = note_for(((uint64_t)where->object + 1) << 40 | in_object);
  if (!note) {
    atomic_fetch_add(&notes->lost, 1);
    return;
  }
  if (why) atomic_store(&note->why, why);
  bool news = unexplained && !atomic_exchange(&note->unexplained, true);
  if (atomic_fetch_add(&note->seen, 1) == 0) {
    if (!when->label) when->label = label_for(when->moment, when->request, when->script);
    atomic_store(&note->first, when->label);
    news = true;
  }
  if (news) atomic_fetch_add(&notes->changes, 1);
}

static void compare_words(const region *where, size_t from, size_t to, occasion *when) {
  const howdah_segment *segment = where->segment;
  while (from < to) {
    size_t next = (from & ~(size_t)(WORD - 1)) + WORD;
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

bool howdah_audit_is_on(void) {
  return notes != NULL;
}

bool howdah_audit_is_due(void) {
  return now_ns() - look_ended_ns >= look_took_ns;
}

void howdah_audit_look(howdah_audit_moment moment, const char *request, const char *script) {
  if (!notes) return;
  uint64_t begun_ns = now_ns();
  occasion when = {moment, request, script, 0};
  follow_objects();
  for (size_t i = 0; i < regions_count; i++)
    compare_region(&regions[i], &when);
  atomic_fetch_add(moment == HOWDAH_AUDIT_MIDDLE ? &notes->middle : &notes->ends, 1);
  look_ended_ns = now_ns();
  look_took_ns = look_ended_ns - begun_ns;
}

/* ---- Results -------------------------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
  const word_note *const *x = a, *const *y = b;
  return (*x)->key < (*y)->key ? -1 : (*x)->key > (*y)->key;
}

static const howdah_reason *why_of(const word_note *note) {
  return atomic_load(&note->unexplained) ? NULL : atomic_load(&note->why);
}

static const word_note **sorted_notes(size_t *count) {
  *count = 0;
  const word_note **list = malloc(WORDS_MAX * sizeof(*list));
  if (!list) return NULL;
  for (size_t i = 0; i < WORDS_MAX; i++)
    if (atomic_load(&notes->words[i].first)) list[(*count)++] = &notes->words[i];
  qsort(list, *count, sizeof(*list), by_key);
  return list;
}

static void locate(howdah_finding *finding) {
  howdah_segment file = {.path = finding->path, .of_thread = finding->of_thread};
  howdah_place place;
  char text[256];
  howdah_place_of(&file, (const void *)finding->offset, &place);
  howdah_place_print(&place, text, sizeof(text));
  finding->place = strdup(text);
  finding->symbol = strdup(place.name);
  finding->section = strdup(place.section);
  finding->in_section = place.in_section;
}

static int unexplained_first(const void *a, const void *b) {
  const howdah_finding *x = a, *y = b;
  if (!x->why != !y->why) return x->why ? 1 : -1;
  int objects = strcmp(x->object, y->object);
  if (objects) return objects;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void fill(howdah_finding *finding, const word_note *note) {
  const object_note *object = &notes->objects[(note->key >> 40) - 1];
  const label *first = &notes->labels[atomic_load(&note->first) - 1];
  *finding = (howdah_finding){.why = why_of(note),
                              .offset = note->key & 0xFFFFFFFFFF,
                              .words = 1,
                              .of_thread = object->of_thread,
                              .seen = atomic_load(&note->seen),
                              .request = first->request,
                              .script = first->script,
                              .moment = first->moment};
  snprintf(finding->object, sizeof(finding->object), "%s", object->name);
  snprintf(finding->path, sizeof(finding->path), "%s", object->path);
  snprintf(finding->extension, sizeof(finding->extension), "%s", object->extension);
  locate(finding);
}

/* Neighbours of the same object, for the same reason, and within the same variable where that is known. */
static bool joins(const howdah_finding *finding, const word_note *before, const word_note *note) {
  if (note->key != before->key + WORD || why_of(note) != finding->why) return false;
  if (!finding->symbol || !finding->symbol[0]) return true;
  howdah_segment file = {.path = (char *)finding->path, .of_thread = finding->of_thread};
  howdah_place place;
  howdah_place_of(&file, (const void *)(note->key & 0xFFFFFFFFFF), &place);
  return strcmp(place.name, finding->symbol) == 0;
}

howdah_finding *howdah_audit_findings(size_t *count) {
  size_t words;
  *count = 0;
  const word_note **list = sorted_notes(&words);
  howdah_finding *findings = words ? calloc(words, sizeof(*findings)) : NULL;
  for (size_t i = 0; findings && i < words; i++) {
    if (*count && joins(&findings[*count - 1], list[i - 1], list[i])) {
      findings[*count - 1].words++;
      uint32_t seen = atomic_load(&list[i]->seen);
      if (seen > findings[*count - 1].seen) findings[*count - 1].seen = seen;
      continue;
    }
    fill(&findings[(*count)++], list[i]);
  }
  if (findings) qsort(findings, *count, sizeof(*findings), unexplained_first);
  free(list);
  return findings;
}

void howdah_findings_free(howdah_finding *findings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free((char *)findings[i].place);
    free((char *)findings[i].symbol);
    free((char *)findings[i].section);
  }
  free(findings);
}

void howdah_audit_get_totals(howdah_audit_totals *totals) {
  *totals = (howdah_audit_totals){0};
  if (!notes) return;
  totals->middle = atomic_load(&notes->middle);
  totals->ends = atomic_load(&notes->ends);
  totals->lost = (size_t)atomic_load(&notes->lost);
  for (size_t i = 0; i < WORDS_MAX; i++) {
    if (!atomic_load(&notes->words[i].first)) continue;
    if (why_of(&notes->words[i]))
      totals->shared++;
    else
      totals->unexplained++;
  }
  for (size_t i = 0; i < OBJECTS_MAX && atomic_load(&notes->objects[i].state) == 2; i++)
    totals->bytes += notes->objects[i].bytes;
}

size_t howdah_audit_unexplained(void) {
  howdah_audit_totals totals;
  howdah_audit_get_totals(&totals);
  return totals.unexplained + totals.lost;
}

bool howdah_audit_object(size_t index, const char **name, size_t *bytes) {
  if (!notes || index >= OBJECTS_MAX || atomic_load(&notes->objects[index].state) != 2) return false;
  *name = notes->objects[index].name;
  *bytes = notes->objects[index].bytes;
  return true;
}

bool howdah_audit_is_dirty(void) {
  return notes && report_path && *report_path && atomic_load(&notes->saved) != atomic_load(&notes->changes);
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
  if (!notes || !report_path || !*report_path) return 0;
  unsigned long long changes = atomic_load(&notes->changes);
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
  atomic_store(&notes->saved, changes);
  return 0;
}

/* ---- Start and end -------------------------------------------------------------------------------------------------------------- */

/* Scripts change the working directory. */
static char *absolute(const char *path) {
  char folder[PATH_MAX], *whole = NULL;
  if (!*path || *path == '/') return strdup(path);
  if (!getcwd(folder, sizeof(folder)) || asprintf(&whole, "%s/%s", folder, path) < 0) return NULL;
  return whole;
}

int howdah_audit_start(const char *report, char *error, size_t error_size) {
  void *memory = mmap(NULL, sizeof(notes_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || !(report_path = absolute(report))) {
    snprintf(error, error_size, "howdah: the audit cannot start: %s", strerror(errno));
    return -1;
  }
  notes = memory;
  generation = howdah_objects_generation();
  if (howdah_objects_add(&segments, error, error_size) < 0 || howdah_segments_copy(&segments, error, error_size) < 0) return -1;
  if (!make_regions()) {
    snprintf(error, error_size, "howdah: out of memory for the audit");
    return -1;
  }
  return howdah_audit_save(error, error_size);
}

void howdah_audit_stop(void) {
  if (!notes) return;
  munmap(notes, sizeof(*notes));
  notes = NULL;
  howdah_segments_free(&segments);
  howdah_objects_free();
  free(regions);
  regions = NULL;
  regions_count = 0;
  free(report_path);
  report_path = NULL;
}
