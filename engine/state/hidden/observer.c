/* Hidden state of Zend's observers: the innermost observed call (Zend/zend_observer.c). Extensions that trace calls
 * (OpenTelemetry and its like) make Zend keep it; a realm that is resumed would otherwise end another's calls. */
#include "probe.h"

/* A call that nobody made, of a function that somebody watches. */
typedef struct {
  zend_execute_data call;
  zval slots[4]; /* the previous observed frame is kept in the last temporary */
  zend_function function;
  void *cache[4]; /* at the observers' handle: one begin handler, one end handler */
} observed;

static observed frames[2];

enum { HANDLE = 0 };
/* ZEND_OBSERVER_NOT_OBSERVED */
#define NOT_OBSERVED ((void *)2)

static zend_observer_fcall_handlers no_handlers(zend_execute_data *call) {
  (void)call;
  return (zend_observer_fcall_handlers){NULL, NULL};
}

static void prepare(observed *frame) {
  frame->function.type = ZEND_USER_FUNCTION;
  frame->function.common.T = 1;
  ZEND_MAP_PTR_INIT(frame->function.op_array.run_time_cache, (void *)frame->cache);
  frame->cache[HANDLE] = NOT_OBSERVED;
  frame->cache[HANDLE + 1] = frame; /* never called: the lever takes the frame away before the call ends */
  frame->call.func = &frame->function;
}

static bool observer_move(howdah_probe *probe, int step, void *data) {
  (void)probe;
  (void)data;
  if (step % 2)
    zend_observer_activate();
  else
    zend_observer_fcall_begin(&frames[step / 2].call);
  return true;
}

static bool observer_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return *(void *const *)now == (step % 2 ? NULL : (void *)&frames[step / 2].call);
}

bool howdah_find_observer(howdah_probe *probe) {
  bool in_use = ZEND_OBSERVER_ENABLED;
  /* Observers of our own alone; this is the child, which nothing else observes. */
  zend_observer_startup();
  zend_observer_fcall_register(no_handlers);
  zend_observer_fcall_op_array_extension = HANDLE;
  prepare(&frames[0]);
  prepare(&frames[1]);
  howdah_lever lever = {.what = "the call that PHP's observers watch",
                        .width = sizeof(void *),
                        .steps = 4,
                        .move = observer_move,
                        .holds = observer_holds};
  char *place = howdah_probe_search(probe, &lever);
  zend_observer_startup();
  if (!place) {
    /* Where nothing observes, nothing is written there. */
    if (!in_use) probe->error[0] = '\0';
    return !in_use;
  }
  /* Later versions may keep it in executor_globals, which are private anyway. */
  if (place >= (char *)&executor_globals && place < (char *)(&executor_globals + 1)) return true;
  return howdah_probe_add(probe, (howdah_hidden){.name = "current_observed_frame",
                                                 .address = place,
                                                 .size = sizeof(zend_execute_data *),
                                                 .source = "Zend/zend_observer.c"});
}
