/* See snapshot.h. */
#include "snapshot.h"
#include "../check.h"
#include "../howdah.h"
#include "chunks.h"
#include "php_headers.h"
#include "process/note.h"
#include "snapshot_blocks.h"
#include "snapshot_map.h"
#include "snapshot_parts.h"
#include "snapshot_tables.h"
#include "version.h"
#include "written.h"

#include <Zend/zend_alloc_sizes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  CHUNKS_MAX = 8,
  PAGE = ZEND_MM_PAGE_SIZE,
  /* To ask the kernel which pages were written to costs 0.35 us for each chunk, and 0.3 us for each 100 pages; 2 us for each page that
   * was and is to be watched again; to compare a page costs 0.1 to 0.5 us, as it lies in the processor's cache or not. */
  WATCHED_LEAST = 24,
  HEAT_LEAST = 8,
  HEAT_MOST = 128
};

/* A page that was written to is compared after so many more requests, then watched again; each time after twice as many. */
typedef struct {
  uint8_t left; /* 0: it is watched */
  uint8_t next;
} page_heat;

struct howdah_snapshot {
  char *chunks[CHUNKS_MAX];
  size_t chunk_count;
  bool dropped[CHUNKS_MAX]; /* PHP has unmapped them since, as it believes */
  struct {
    char *start, *end;
  } used[CHUNKS_MAX]; /* where the chunk's pages lie that are in use */
  char **pages;       /* of the heap, that are in use */
  size_t page_count, page_room;
  char *page_copies;
  int16_t *numbers; /* of each page of all chunks: its place among them; -1: it was not in use */
  page_heat *heat;  /* of each of them */
  bool watched;     /* written.h */
  howdah_block_copies blocks;
  howdah_table_copies tables;
  howdah_map_copy map;
  howdah_process_note process;
  unsigned settings_used;
};

const char *howdah_rewind_refusal(void) {
  return HOWDAH_CAN_REWIND ? NULL : "rewind has been proven with PHP 8.2 and 8.4, this is PHP " PHP_VERSION "; leave it out";
}

/* ---- The heap ---- */

static bool is_in(const void *address, const void *start, size_t bytes) {
  return (uintptr_t)address - (uintptr_t)start < bytes;
}

static bool add_chunk(char *chunk, bool cached, void *data) {
  howdah_snapshot *snapshot = data;
  (void)cached;
  if (snapshot->chunk_count == CHUNKS_MAX) return false;
  snapshot->chunks[snapshot->chunk_count++] = chunk;
  return true;
}

static bool refuse_huge(char *block, size_t bytes, void *data) {
  (void)block;
  *(size_t *)data = bytes;
  return false;
}

/* Of the chunk that holds it; chunk_count: none of them does. */
static size_t chunk_of(const howdah_snapshot *snapshot, const void *address) {
  size_t i = 0;
  while (i < snapshot->chunk_count && !is_in(address, snapshot->chunks[i], ZEND_MM_CHUNK_SIZE))
    i++;
  return i;
}

static bool is_ours(const howdah_snapshot *snapshot, const void *address) {
  return chunk_of(snapshot, address) < snapshot->chunk_count;
}

static int by_address(const void *a, const void *b) {
  const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return x < y ? -1 : x > y;
}

/* Pages of which nothing is read again before it is written: what the VM's stack and the compiler's arena have not given
 * out. */
static bool is_dead(const char *page) {
  const struct {
    const char *from, *to;
  } dead[] = {{(const char *)EG(vm_stack_top), (const char *)EG(vm_stack_end)}, {CG(arena)->ptr, CG(arena)->end}};
  for (size_t i = 0; i < sizeof(dead) / sizeof(*dead); i++)
    if (page >= dead[i].from && page + PAGE <= dead[i].to) return true;
  return false;
}

static bool list_pages(howdah_snapshot *snapshot, void *heap) {
  size_t free_count, next = 0;
  char **free_pages = howdah_chunks_take(heap, &free_count);
  if (free_pages) {
    char **sorted = malloc(free_count * sizeof(*sorted));
    if (sorted) {
      memcpy(sorted, free_pages, free_count * sizeof(*sorted));
      qsort(sorted, free_count, sizeof(*sorted), by_address);
    }
    howdah_chunks_give(heap, free_pages, free_count);
    if (!sorted) return false;
    free_pages = sorted;
  }
  snapshot->pages = malloc(snapshot->chunk_count * ZEND_MM_PAGES * sizeof(*snapshot->pages));
  for (size_t i = 0; i < snapshot->chunk_count && snapshot->pages; i++)
    for (size_t j = 0; j < ZEND_MM_PAGES; j++) {
      char *page = snapshot->chunks[i] + j * PAGE;
      while (next < free_count && free_pages[next] < page)
        next++;
      if ((next < free_count && free_pages[next] == page) || is_dead(page)) continue;
      snapshot->pages[snapshot->page_count++] = page;
    }
  free(free_pages);
  return snapshot->pages != NULL;
}

static bool copy_heap(howdah_snapshot *snapshot, void *heap, char *error, size_t error_size) {
  size_t huge = 0;
  if (zend_mm_is_custom_heap(heap)) {
    snprintf(error, error_size, "PHP uses the C library's memory (USE_ZEND_ALLOC=0)");
    return false;
  }
  if (!howdah_chunks_visit_huge(heap, refuse_huge, &huge)) {
    if (huge)
      snprintf(error, error_size, "it holds a value of %zu MB when it has booted; keep what is that large in a file or a cache",
               huge >> 20);
    else
      snprintf(error, error_size, "PHP's heap is not as it is known; please report it");
    return false;
  }
  if (!howdah_chunks_visit(heap, add_chunk, snapshot)) {
    snprintf(error, error_size, "it takes more than %zu MB when it has booted", CHUNKS_MAX * (ZEND_MM_CHUNK_SIZE >> 20));
    return false;
  }
  qsort(snapshot->chunks, snapshot->chunk_count, sizeof(*snapshot->chunks), by_address);
  if (list_pages(snapshot, heap)) snapshot->page_copies = malloc((snapshot->page_count + 1) * PAGE);
  if (snapshot->page_copies) return true;
  snprintf(error, error_size, "memory is short");
  return false;
}

/* Last, when nothing on the heap changes any more. */
static void fill_heap(howdah_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->page_count; i++)
    memcpy(snapshot->page_copies + i * PAGE, snapshot->pages[i], PAGE);
}

static bool unmap_later_chunk(char *chunk, bool cached, void *data) {
  (void)cached;
  if (!is_ours(data, chunk)) munmap(chunk, ZEND_MM_CHUNK_SIZE);
  return true;
}

static bool unmap_huge(char *block, size_t bytes, void *data) {
  (void)data;
  munmap(block, bytes);
  return true;
}

/* Whether it was another one. */
static bool put_page_back(const howdah_snapshot *snapshot, size_t number) {
  char *page = snapshot->pages[number];
  const char *copy = snapshot->page_copies + number * PAGE;
  if (memcmp(page, copy, PAGE) == 0) return false;
  memcpy(page, copy, PAGE);
  return true;
}

/* Pages that each request writes to are not watched: a fault for each would cost more than to compare them. Most of what is
 * written is as before in the end: counts of references. */
static bool is_hot(page_heat *heat, bool changed) {
  if (heat->left == 0) {
    heat->next = heat->next ? heat->next : HEAT_LEAST;
    heat->left = heat->next;
    if (heat->next <= HEAT_MOST / 2) heat->next *= 2;
  } else if (changed) {
    heat->left = heat->next;
  } else {
    heat->left--;
  }
  return heat->left > 0;
}

static void put_range_back(const howdah_snapshot *snapshot, char *start, char *end) {
  const size_t chunk = chunk_of(snapshot, start);
  const int16_t *numbers = snapshot->numbers + chunk * ZEND_MM_PAGES + (size_t)(start - snapshot->chunks[chunk]) / PAGE;
  size_t cold = 0; /* bytes before the page */
  for (char *page = start; page < end; page += PAGE, numbers++) {
    if (*numbers >= 0 && !is_hot(&snapshot->heat[*numbers], put_page_back(snapshot, (size_t)*numbers))) {
      cold += PAGE;
      continue;
    }
    if (cold) (void)howdah_written_forget(page - cold, cold); /* else they are compared again */
    cold = 0;
  }
  if (cold) (void)howdah_written_forget(end - cold, cold);
}

static bool put_written_back(const howdah_snapshot *snapshot) {
  howdah_written list[ZEND_MM_PAGES / 2 + 1];
  for (size_t i = 0; i < snapshot->chunk_count; i++) {
    const size_t bytes = (size_t)(snapshot->used[i].end - snapshot->used[i].start);
    if (!bytes) continue;
    /* No more ranges than that: the kernel reserves memory for as many. */
    ssize_t count = howdah_written_list(snapshot->used[i].start, bytes, list, bytes / PAGE / 2 + 1);
    if (count < 0) return false;
    for (ssize_t j = 0; j < count; j++)
      put_range_back(snapshot, (char *)(uintptr_t)list[j].start, (char *)(uintptr_t)list[j].end);
  }
  return true;
}

static void put_heap_back(howdah_snapshot *snapshot, void *heap) {
  howdah_chunks_visit_huge(heap, unmap_huge, NULL);
  howdah_chunks_visit(heap, unmap_later_chunk, snapshot);
  memset(snapshot->dropped, 0, sizeof(snapshot->dropped));
  if (snapshot->watched && put_written_back(snapshot)) return;
  for (size_t i = 0; i < snapshot->page_count; i++)
    put_page_back(snapshot, i);
}

/* ---- The heap, watched ---- */

static bool number_pages(howdah_snapshot *snapshot) {
  const size_t all = snapshot->chunk_count * ZEND_MM_PAGES;
  snapshot->numbers = malloc(all * sizeof(*snapshot->numbers));
  snapshot->heat = calloc(snapshot->page_count + 1, sizeof(*snapshot->heat));
  if (!snapshot->numbers || !snapshot->heat) return false;
  memset(snapshot->numbers, -1, all * sizeof(*snapshot->numbers));
  for (size_t i = 0; i < snapshot->page_count; i++) {
    const size_t chunk = chunk_of(snapshot, snapshot->pages[i]);
    snapshot->numbers[chunk * ZEND_MM_PAGES + (size_t)(snapshot->pages[i] - snapshot->chunks[chunk]) / PAGE] = (int16_t)i;
    if (!snapshot->used[chunk].start) snapshot->used[chunk].start = snapshot->pages[i];
    snapshot->used[chunk].end = snapshot->pages[i] + PAGE;
  }
  return true;
}

static bool watch_pages(const howdah_snapshot *snapshot) {
  char *const *pages = snapshot->pages;
  for (size_t i = 0, run; i < snapshot->page_count; i += run) {
    for (run = 1; i + run < snapshot->page_count && pages[i + run] == pages[i] + run * PAGE;)
      run++;
    if (!howdah_written_forget(pages[i], run * PAGE)) return false;
  }
  return true;
}

/* Where anything fails here, all pages are compared. */
static void watch_heap(howdah_snapshot *snapshot) {
  if (snapshot->page_count < WATCHED_LEAST || !howdah_snapshot_has_part(HOWDAH_PART_WRITTEN) || !number_pages(snapshot)) return;
  snapshot->watched = true;
  for (size_t i = 0; i < snapshot->chunk_count; i++)
    if (!howdah_written_watch(snapshot->chunks[i], ZEND_MM_CHUNK_SIZE)) snapshot->watched = false;
  if (snapshot->watched) snapshot->watched = watch_pages(snapshot);
}

static void unwatch_heap(const howdah_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->chunk_count && snapshot->numbers; i++)
    howdah_written_unwatch(snapshot->chunks[i], ZEND_MM_CHUNK_SIZE);
}

/* ---- All of it ---- */

bool howdah_snapshot_take(howdah_state *state, char *error, size_t error_size) {
  howdah_snapshot *snapshot = state->snapshot = calloc(1, sizeof(*snapshot));
  snprintf(error, error_size, "memory is short, or its allocator is not the C library's");
  /* Else requests would write to half of the pages of the application, for what they need in passing. */
  if (snapshot) (void)howdah_chunks_seal(state->heap);
  if (!snapshot || !copy_heap(snapshot, state->heap, error, error_size)) goto failed;
  if (!howdah_block_copies_take(&snapshot->blocks) || !howdah_map_copy_take(&snapshot->map) ||
      !howdah_table_copies_take(&snapshot->tables, state->pages) ||
      !howdah_process_note_take(&snapshot->process, &state->process))
    goto failed;
  snapshot->settings_used = state->settings.used;
  howdah_block_copies_fill(&snapshot->blocks);
  fill_heap(snapshot);
  watch_heap(snapshot);
  return true;

failed:
  howdah_snapshot_free(state);
  return false;
}

const char *howdah_snapshot_misfit(howdah_state *state) {
  howdah_snapshot *snapshot = state->snapshot;
  const char *why = howdah_block_copies_misfit(&snapshot->blocks);
  if (why) return why;
  if (state->settings.used != snapshot->settings_used && snapshot->settings_used) return "settings of SQLite or ImageMagick";
  if (!howdah_table_copies_prepare(&snapshot->tables, &why)) return why;
  return howdah_snapshot_process_misfit(state);
}

const char *howdah_snapshot_process_misfit(howdah_state *state) {
  if (!howdah_snapshot_has_part(HOWDAH_PART_PROCESS)) return NULL;
  return howdah_process_note_misfit(&state->snapshot->process, &state->process);
}

static bool is_back(const howdah_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->page_count; i++)
    if (memcmp(snapshot->pages[i], snapshot->page_copies + i * PAGE, PAGE) != 0) return false;
  return howdah_map_copy_is_back(&snapshot->map) && howdah_table_copies_are_back(&snapshot->tables);
}

void howdah_snapshot_put_back(howdah_state *state) {
  howdah_snapshot *snapshot = state->snapshot;
  if (howdah_snapshot_has_part(HOWDAH_PART_HEAP)) put_heap_back(snapshot, state->heap);
  if (howdah_snapshot_has_part(HOWDAH_PART_BLOCKS)) howdah_block_copies_put_back(&snapshot->blocks);
  if (howdah_snapshot_has_part(HOWDAH_PART_MAP)) howdah_map_copy_put_back(&snapshot->map);
  if (howdah_snapshot_has_part(HOWDAH_PART_TABLES)) howdah_table_copies_put_back(&snapshot->tables);
  if (howdah_snapshot_has_part(HOWDAH_PART_PROCESS)) howdah_process_note_return(&snapshot->process, &state->process);
  howdah_assert(is_back(snapshot), "a realm was put back, and is not as it was");
}

const howdah_block_copy *howdah_snapshot_find_block(const howdah_state *state, const char *name) {
  return howdah_block_copies_find(&state->snapshot->blocks, name);
}

void howdah_snapshot_put_block_back(const howdah_block_copy *copy) {
  if (copy) memcpy(copy->block->address, copy->copy, copy->block->size);
}

void howdah_snapshot_each_setting(const howdah_state *state, void (*tell)(zend_ini_entry *entry)) {
  const howdah_table_copies *tables = &state->snapshot->tables;
  for (size_t i = 0; i < tables->changed_count; i++)
    tell(tables->changed[i]);
}

bool howdah_snapshot_keeps(const void *address) {
  const howdah_state *state = howdah_state_in_place();
  howdah_snapshot *snapshot = state ? state->snapshot : NULL;
  const size_t chunk = snapshot ? chunk_of(snapshot, address) : 0;
  if (!snapshot || chunk == snapshot->chunk_count) return false;
  snapshot->dropped[chunk] = true;
  return true;
}

void howdah_snapshot_free(howdah_state *state) {
  howdah_snapshot *snapshot = state->snapshot;
  state->snapshot = NULL;
  if (!snapshot) return;
  howdah_table_copies_free(&snapshot->tables);
  howdah_process_note_free(&snapshot->process);
  unwatch_heap(snapshot);
  for (size_t i = 0; i < snapshot->chunk_count; i++)
    if (snapshot->dropped[i]) munmap(snapshot->chunks[i], ZEND_MM_CHUNK_SIZE);
  free(snapshot->numbers);
  free(snapshot->heat);
  free(snapshot->pages);
  free(snapshot->page_copies);
  howdah_block_copies_free(&snapshot->blocks);
  howdah_map_copy_free(&snapshot->map);
  free(snapshot);
}
