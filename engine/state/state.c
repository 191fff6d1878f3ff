/* Birth, enter, leave and death of a private PHP state. See state.h for the invariants. */
#include "state.h"
#include "block.h"
#include "image.h"
#include "libraries/defaults.h"
#include "modules.h"
#include "pages.h"
#include "php_headers.h"
#include "sources.h"
#include "tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static howdah_state *in_place; /* NULL: the base image */
static zend_mm_heap *process_heap;
static bool process_heap_is_malloc;
static uint64_t loads;
static void (*on_leave)(const howdah_state *state);

int howdah_state_start(const char *without_block, char *error, size_t error_size) {
  process_heap = zend_mm_get_heap();
  void *(*allocate)(size_t);
  void (*release)(void *);
  void *(*reallocate)(void *, size_t);
  zend_mm_get_custom_handlers(process_heap, &allocate, &release, &reallocate);
  /* USE_ZEND_ALLOC=0 (valgrind, ASan): every realm uses malloc, so that the tools see each block. */
  process_heap_is_malloc = allocate != NULL;
  if (howdah_process_state_start() < 0) {
    snprintf(error, error_size, "howdah: cannot open the working directory: %s; start in a folder that may be read",
             strerror(errno));
    return -1;
  }
  howdah_openssl_start();
  howdah_thread_find();
  if (howdah_blocks_build(without_block, error, error_size) < 0) return -1;
  howdah_browscap_start();
  howdah_opcache_key_start();
  howdah_settings_start();
  howdah_defaults_start();
  return 0;
}

void howdah_state_share(void) {
  /* With malloc for a heap, the tools see each table as a block. */
  if (!process_heap_is_malloc) howdah_tables_start();
}

static void put_in_place(howdah_state *state) {
  if (in_place == state) return;
  loads++;
  howdah_image_switch(in_place ? in_place->image : NULL, state ? state->image : NULL);
  in_place = state;
}

static void *heap_new(void) {
  if (process_heap_is_malloc) return process_heap;
  zend_mm_heap *heap = zend_mm_startup();
  /* The heap sits in its first 2 MB chunk: where transparent huge pages are `always`, its first touch would cost all of it. */
  if (heap) madvise((void *)((uintptr_t)heap & ~(uintptr_t)(2 * 1024 * 1024 - 1)), 2 * 1024 * 1024, MADV_NOHUGEPAGE);
  return heap;
}

static void heap_free(zend_mm_heap *heap) {
  if (!heap || heap == process_heap) return;
  zend_mm_set_heap(process_heap);
  /* Full: every chunk. Silent: what a request forgot to free is gone with it. */
  zend_mm_shutdown(heap, true, true);
}

/* Where its bytes are not in place, and its heap is not set. */
static void free_memory(howdah_state *state) {
  heap_free(state->heap);
  free(state->image);
  howdah_pages_give(state->pages);
  state->heap = NULL;
  state->image = state->pages = NULL;
}

static void call_blocks(bool birth) {
  size_t count;
  const howdah_block *blocks = howdah_blocks_all(&count);
  for (size_t i = 0; i < count; i++) {
    void (*call)(void *) = birth ? blocks[i].birth : blocks[i].death;
    if (call) call(blocks[i].address);
  }
}

int howdah_state_birth(howdah_state *state, char *error, size_t error_size) {
  memset(state, 0, sizeof(*state));
  state->image = howdah_image_new();
  state->heap = heap_new();
  if (!state->image || !state->heap) {
    snprintf(error, error_size,
             "howdah: out of memory for a new realm (%s); lower the concurrency, or raise the limits on memory and maps "
             "(vm.max_map_count)",
             strerror(errno));
    free_memory(state);
    return -1;
  }
  state->pages = howdah_pages_take();
  howdah_process_state_enter(NULL);
  put_in_place(NULL);
  in_place = state;
  zend_mm_set_heap(state->heap);
  howdah_thread_enter(&state->thread);
  volatile bool born = false;
  zend_try {
    if (howdah_tables_birth(state->pages)) {
      call_blocks(true);
      howdah_modules_birth();
      born = true;
    }
  }
  zend_end_try();
  if (!born) {
    snprintf(error, error_size, "howdah: out of memory for a new realm's tables; lower the concurrency");
    howdah_tables_close();
    howdah_tables_death();
    howdah_thread_leave(&state->thread);
    in_place = NULL;
    howdah_image_switch(NULL, NULL);
    free_memory(state);
    return -1;
  }
  return 0;
}

void howdah_state_enter(howdah_state *state) {
  put_in_place(state);
  zend_mm_set_heap(state->heap);
  howdah_process_state_enter(&state->process);
  howdah_settings_enter(&state->settings);
  howdah_openssl_enter(&state->openssl);
  howdah_thread_enter(&state->thread);
  howdah_signals_enter(&state->process.signals);
}

void howdah_state_on_leave(void (*look)(const howdah_state *state)) {
  on_leave = look;
}

void howdah_state_leave(void) {
  if (in_place) {
    howdah_openssl_leave(&in_place->openssl);
    howdah_settings_leave(&in_place->settings);
    howdah_thread_leave(&in_place->thread);
    howdah_signals_leave(&in_place->process.signals);
    howdah_process_state_leave();
    if (__builtin_expect(on_leave != NULL, 0)) on_leave(in_place);
  }
  zend_mm_set_heap(process_heap);
}

/* In the order of PHP's end (zend_shutdown(), Zend/zend.c, 8.2): destructors of connections count in their module's globals.
 * What bails out takes those behind it along, but not twice. */
void howdah_state_close(howdah_state *state) {
  state->closed = true;
  zend_try {
    howdah_tables_close();
  }
  zend_end_try();
  zend_try {
    howdah_modules_death();
  }
  zend_end_try();
}

void howdah_state_death(howdah_state *state) {
  if (!state->closed) howdah_state_close(state);
  zend_try {
    call_blocks(false);
  }
  zend_end_try();
  howdah_tables_death();
  howdah_openssl_leave(&state->openssl);
  howdah_settings_free(&state->settings);
  howdah_thread_leave(&state->thread);
  free_memory(state);
  howdah_image_switch(NULL, NULL);
  howdah_process_state_free(&state->process);
  in_place = NULL;
}

const howdah_state *howdah_state_in_place(void) {
  return in_place;
}

const void *howdah_state_find(const howdah_state *state, const void *address) {
  const howdah_block *block = howdah_blocks_find(address);
  if (!block || state == in_place) return address;
  return state->image + block->at + ((const char *)address - block->address);
}

uint64_t howdah_state_loads(void) {
  return loads;
}

void howdah_state_stop(void) {
  howdah_process_state_enter(NULL);
  put_in_place(NULL);
  howdah_blocks_free();
  howdah_pages_stop();
}
