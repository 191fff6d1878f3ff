/* What the engine's folders know of the whole process. */
#ifndef HOWDAH_ENGINE_H
#define HOWDAH_ENGINE_H

#include "howdah.h"

typedef struct {
  uint64_t chaos_seed;
  uint64_t slice_ms;
  bool started;
  bool fixes_paths; /* cgi.fix_pathinfo */
} howdah_engine_state;

extern howdah_engine_state howdah_engine;

#endif
