/* Hidden state of the Zend engine: the garbage collector, the fibers' switch lock, the current directory. */
#include "probe.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- gc_globals (Zend/zend_gc.c) ------------------------------------------------------------------------------------------- */

/* gc_globals_ctor_ex() then zend.enable_gc: the buffer of possible roots (128 KB of malloc, touched as it fills) is the realm's.
 * Without a buffer the collector must be protected, or it writes to one that is not there. */
static void gc_birth(void *address) {
  howdah_gc_globals *gc = address;
  bool enabled = gc->gc_enabled;
  memset(gc, 0, sizeof(*gc));
  gc->gc_protected = true;
  gc_enable(enabled);
}

/* root_buffer_dtor() */
static void gc_death(void *address) {
  howdah_gc_globals *gc = address;
  free(gc->buf);
  gc->buf = NULL;
  gc->gc_enabled = false;
}

static const bool gc_steps[] = {true, false, true, true, false, true, false};

static bool gc_move(howdah_probe *probe, int step, void *data) {
  (void)probe;
  (void)data;
  gc_protect(gc_steps[step]);
  return gc_protected() == gc_steps[step];
}

static bool gc_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return *(const unsigned char *)now == gc_steps[step];
}

/* Writes numbers of our own into the struct and lets PHP read them: each member that we mirror stands where we think. */
static bool gc_agrees(howdah_gc_globals *gc) {
  howdah_gc_globals saved = *gc;
  zend_gc_status status;
  gc->gc_runs = 71;
  gc->collected = 72;
  gc->gc_threshold = 73;
  gc->num_roots = 74;
  zend_gc_get_status(&status);
  bool agrees = status.runs == 71 && status.collected == 72 && status.threshold == 73 && status.num_roots == 74;
  /* Zeroed, as in a new realm: enabling makes a buffer. */
  memset(gc, 0, sizeof(*gc));
  gc_enable(true);
  agrees = agrees && gc->gc_enabled && gc->buf && gc->buf_size && gc->gc_threshold && gc->gc_threshold <= gc->buf_size;
  gc_enable(false);
  agrees = agrees && !gc->gc_enabled;
  free(gc->buf);
  *gc = saved;
  return agrees;
}

static bool find_gc(howdah_probe *probe) {
  static const char what[] = "PHP's garbage collector";
  howdah_lever lever = {
      .what = what, .width = 1, .steps = sizeof(gc_steps) / sizeof(*gc_steps), .move = gc_move, .holds = gc_holds};
  bool was_protected = gc_protected();
  char *protected = howdah_probe_search(probe, &lever);
  gc_protect(was_protected); /* it has no buffer where zend.enable_gc is off: see gc_birth() */
  if (!protected) return false;
  howdah_gc_globals *gc = (void *)(protected - offsetof(howdah_gc_globals, gc_protected));
  if (!howdah_segments_find(&probe->library, gc) || !gc_agrees(gc))
    return howdah_probe_fail(probe, what, "its globals are not laid out as in Zend/zend_gc.c");
  return howdah_probe_add(probe, (howdah_hidden){.name = "gc_globals",
                                                 .address = gc,
                                                 .size = sizeof(*gc),
                                                 .source = "Zend/zend_gc.c",
                                                 .birth = gc_birth,
                                                 .death = gc_death});
}

/* ---- zend_fiber_switch_blocking (Zend/zend_fibers.c) --------------------------------------------------------------------- */

static const uint32_t fiber_steps[] = {1, 2, 3, 2, 1, 0};

static bool fiber_move(howdah_probe *probe, int step, void *data) {
  (void)probe;
  (void)data;
  if (step == 0 || fiber_steps[step] > fiber_steps[step - 1])
    zend_fiber_switch_block();
  else
    zend_fiber_switch_unblock();
  return zend_fiber_switch_blocked() == (fiber_steps[step] != 0);
}

static bool fiber_holds(const void *now, const void *before, int step, void *data) {
  (void)data;
  return *(const uint32_t *)now == fiber_steps[step] && *(const uint32_t *)before == 0;
}

static bool find_fiber(howdah_probe *probe) {
  howdah_lever lever = {.what = "PHP's fiber switch lock",
                        .width = sizeof(uint32_t),
                        .steps = sizeof(fiber_steps) / sizeof(*fiber_steps),
                        .move = fiber_move,
                        .holds = fiber_holds};
  void *blocking = howdah_probe_search(probe, &lever);
  return blocking && howdah_probe_add(probe, (howdah_hidden){.name = "zend_fiber_switch_blocking",
                                                             .address = blocking,
                                                             .size = sizeof(uint32_t),
                                                             .source = "Zend/zend_fibers.c"});
}

/* ---- cwd_globals (Zend/zend_virtual_cwd.h) ------------------------------------------------------------------------------- */

/* After module startup it holds a copy of main_cwd_state on the process's first heap (main.c calls virtual_cwd_activate()
 * last), which the first request to end would free on its own heap. Without threads nothing makes another: it stays empty. */
static void cwd_birth(void *address) {
  memset(address, 0, sizeof(cwd_state));
}

static bool find_cwd(howdah_probe *probe) {
  static const char what[] = "PHP's current directory";
  virtual_cwd_globals *cwd = (void *)((char *)realpath_cache_get_buckets() - offsetof(virtual_cwd_globals, realpath_cache));
  if (!howdah_segments_find(&probe->library, cwd) || cwd->realpath_cache_size != realpath_cache_size())
    return howdah_probe_fail(probe, what, "what realpath_cache_get_buckets() gives is not in virtual_cwd_globals");
  char path[MAXPATHLEN];
  virtual_cwd_activate();
  bool agrees = cwd->cwd.cwd && virtual_getcwd(path, sizeof(path)) && strlen(path) == cwd->cwd.cwd_length &&
                strcmp(path, cwd->cwd.cwd) == 0;
  virtual_cwd_deactivate();
  if (!agrees || cwd->cwd.cwd)
    return howdah_probe_fail(probe, what, "virtual_getcwd() does not return what virtual_cwd_globals holds");
  howdah_hidden state = {.name = "cwd_globals.cwd",
                         .address = &cwd->cwd,
                         .size = sizeof(cwd->cwd),
                         .source = "Zend/zend_virtual_cwd.h",
                         .birth = cwd_birth};
  /* php_request_startup() turns the realpath cache off, by a limit of zero, in a request that has open_basedir: for that realm
   * alone. The cache's size and buckets are the process's. */
  howdah_hidden limits = {.name = "cwd_globals.realpath_cache_limits",
                          .address = &cwd->realpath_cache_size_limit,
                          .size = offsetof(virtual_cwd_globals, realpath_cache) -
                                  offsetof(virtual_cwd_globals, realpath_cache_size_limit),
                          .source = "Zend/zend_virtual_cwd.h"};
  return howdah_probe_add(probe, state) && howdah_probe_add(probe, limits) &&
         howdah_probe_add_shared(probe, (howdah_shared){.name = "cwd_globals.realpath_cache_size",
                                                        .address = &cwd->realpath_cache_size,
                                                        .size = sizeof(cwd->realpath_cache_size),
                                                        .source = "Zend/zend_virtual_cwd.h",
                                                        .reason = "belongs to the shared realpath cache"}) &&
         howdah_probe_add_shared(probe, (howdah_shared){.name = "cwd_globals.realpath_cache",
                                                        .address = cwd->realpath_cache,
                                                        .size = sizeof(cwd->realpath_cache),
                                                        .source = "Zend/zend_virtual_cwd.h",
                                                        .reason = "malloc'ed, keyed by path, no switch inside"});
}

/* ---- alloc_globals.mm_heap (Zend/zend_alloc.c) --------------------------------------------------------------------------- */

/* Nothing is allocated on the heap while the lever is pulled. */
static char no_heaps[2];

static bool heap_move(howdah_probe *probe, int step, void *data) {
  (void)probe;
  zend_mm_set_heap(step % 2 ? *(zend_mm_heap **)data : (zend_mm_heap *)(void *)&no_heaps[step / 2]);
  return true;
}

static bool heap_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  return *(void *const *)now == (step % 2 ? *(void **)data : (void *)&no_heaps[step / 2]);
}

/* Not a block: howdah_state_enter() and _leave() set it. */
static bool find_heap(howdah_probe *probe) {
  zend_mm_heap *heap = zend_mm_get_heap();
  howdah_lever lever = {
      .what = "PHP's current heap", .width = sizeof(void *), .steps = 4, .move = heap_move, .holds = heap_holds, .data = &heap};
  void *place = howdah_probe_search(probe, &lever);
  return place && howdah_probe_add_shared(probe, (howdah_shared){.name = "alloc_globals.mm_heap",
                                                                 .address = place,
                                                                 .size = sizeof(void *),
                                                                 .source = "Zend/zend_alloc.c",
                                                                 .reason = "set whenever a realm is entered or left"});
}

/* ---- zend_compile_file (Zend/zend_compile.h) -------------------------------------------------------------------------------- */

static bool find_compiler(howdah_probe *probe) {
  return howdah_probe_add_shared(probe, (howdah_shared){.name = "zend_compile_file",
                                                        .address = (void *)&zend_compile_file,
                                                        .size = sizeof(zend_compile_file),
                                                        .source = "Zend/zend_compile.h",
                                                        .reason = "set once, when the first realm boots that is rewound "
                                                                  "(howdah_rewind_prepare())"});
}

bool howdah_find_zend(howdah_probe *probe) {
  return find_gc(probe) && find_fiber(probe) && find_cwd(probe) && find_heap(probe) && find_compiler(probe);
}
